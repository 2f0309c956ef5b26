"""The web application: a library in the browser, and its JSON API."""
