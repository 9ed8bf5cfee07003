package store

// SkipRaced is skipRaced for tests from outside.
var SkipRaced = skipRaced
