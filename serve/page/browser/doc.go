// Package browser tests the page in Chromium. It is a module of its own, so that users of
// the classifier do not depend on a browser driver.
package browser
