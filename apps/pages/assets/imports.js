// While imports run, fetches the page again and again, and shows how far they are. Nothing else changes: the focus, the form
// and what is open stay as they are.
const INTERVAL_MS = 2_000;
const RUNNING = '[data-status="running"]';
const list = document.querySelector('[data-imports]');
const link = document.querySelector('[data-refresh]');

if (link) {
  link.hidden = true;
  follow();
}

function follow() {
  if (list.querySelector(RUNNING)) setTimeout(refresh, INTERVAL_MS);
}

async function refresh() {
  // A request that fails is repeated like any other.
  const response = await fetch(link.href).catch(() => undefined);
  // The session has ended, or the website is gone; the link says which.
  if (response?.redirected || response?.status === 404) {
    link.hidden = false;
    return;
  }
  const text = response?.ok ? await response.text().catch(() => undefined) : undefined;
  if (text !== undefined) update(new DOMParser().parseFromString(text, 'text/html'));
  follow();
}

function update(page) {
  for (const item of list.querySelectorAll(RUNNING)) {
    const fetched = page.querySelector(`[data-import="${item.dataset.import}"]`);
    if (fetched === null) {
      item.remove();
      continue;
    }
    item.dataset.status = fetched.dataset.status;
    for (const part of item.querySelectorAll('[data-part]')) {
      updatePart(part, fetched.querySelector(`[data-part="${part.dataset.part}"]`));
    }
  }
}

function updatePart(part, fetched) {
  if (part.innerHTML === fetched.innerHTML) return;
  const hadFocus = part.contains(document.activeElement);
  part.replaceChildren(...fetched.childNodes);
  if (hadFocus) part.querySelector('summary, button')?.focus();
}
