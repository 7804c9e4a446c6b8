// Escape closes the open menu, and leads back to where it opens.
document.addEventListener('keydown', ({ key }) => {
  const menu = key === 'Escape' && document.querySelector('.menu[open]');
  if (!menu) return;
  menu.open = false;
  menu.querySelector('summary').focus();
});

// Fetches the suggestions of the form that adds a filter, when it opens and when its subject changes.
for (const form of document.querySelectorAll('[data-suggestions]')) {
  const details = form.closest('details');
  let shown;
  const suggest = async () => {
    const subject = form.elements.add.value;
    if (!details.open || shown === subject) return;
    shown = subject;
    const url = new URL(form.dataset.suggestions, location);
    url.searchParams.set('add', subject);
    const response = await fetch(url).catch(() => undefined);
    // Without suggestions, any value can still be typed.
    if (!response?.ok || shown !== subject) return;
    const found = new DOMParser().parseFromString(await response.text(), 'text/html');
    form.querySelector('datalist').replaceWith(found.querySelector('datalist'));
  };
  form.elements.add.addEventListener('change', suggest);
  details.addEventListener('toggle', suggest);
}
