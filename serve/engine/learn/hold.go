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
	defer d.mu.Unlock()
	d.holders--
}

// CloseIdle begins to close the database unless it is in use, and reports whether it did.
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
		defer func() { <-d.opening }()
		d.report(c.Close())
	}()
	return true
}
