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

// Reserve is Hold for what no other database has to wait for: fits, and a log that is applied.
func (d *Database) Reserve() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reserved++
	d.holders++
}

// Unreserve ends a Reserve.
func (d *Database) Unreserve() {
	d.mu.Lock()
	d.reserved--
	d.mu.Unlock()
	d.Release()
	if d.options.Unreserved != nil {
		d.options.Unreserved()
	}
}

// OnlyReserved reports whether the database is reserved and not held otherwise.
func (d *Database) OnlyReserved() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reserved > 0 && d.holders == d.reserved
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
