package learn

// Hold keeps d open until it is released.
func (d *Database) Hold() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holders++
}

// Release ends a Hold.
func (d *Database) Release() {
	d.mu.Lock()
	d.holders--
	d.mu.Unlock()
	d.freed()
}

// reserve holds d while its models are fitted.
func (d *Database) reserve() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fitting = true
	d.holders++
}

// fitted ends what reserve began.
func (d *Database) fitted() {
	d.mu.Lock()
	d.fitting = false
	d.mu.Unlock()
	d.Release()
	if d.options.Fitted != nil {
		d.options.Fitted()
	}
}

// OnlyFitted reports whether the database is held only to fit its models.
func (d *Database) OnlyFitted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fitting && d.holders == 1
}

// CloseIdle begins to close the database unless it is in use, and reports whether it did.
// Opening it again waits until it is closed.
func (d *Database) CloseIdle() bool {
	select {
	case d.opening <- struct{}{}:
	default:
		return false
	}
	d.mu.Lock()
	idle, c := d.holders == 0, d.c
	if idle {
		d.c, d.failed = nil, nil
	}
	d.mu.Unlock()
	if !idle || c == nil {
		<-d.opening
		return idle
	}
	go func() {
		defer d.freed() // it could not be closed before, if somebody uses it again
		defer func() { <-d.opening }()
		d.shut(c)
	}()
	return true
}
