// Tells a form the time zone of the browser.
for (const field of document.querySelectorAll('[data-zone]')) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? field.value;
}
