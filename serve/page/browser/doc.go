// Package browser tests the page in Chromium. It is a module of its own, so that nobody who
// uses the classifier depends on what drives a browser.
package browser
