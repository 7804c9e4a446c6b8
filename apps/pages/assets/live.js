// Fetches the page again and again while it is seen, and shows what has changed. The focus stays on its link.
const INTERVAL_MS = 10_000;

setTimeout(refresh, INTERVAL_MS);

async function refresh() {
  // A request that fails is repeated like any other.
  const response = document.hidden ? undefined : await fetch(location.href).catch(() => undefined);
  const text = response?.ok ? await response.text().catch(() => '') : '';
  const page = new DOMParser().parseFromString(text, 'text/html');
  for (const part of page.querySelectorAll('[data-part]')) {
    const shown = document.querySelector(`[data-part="${part.dataset.part}"]`);
    if (shown === null || shown.innerHTML === part.innerHTML) continue;
    const focused = shown.contains(document.activeElement) ? document.activeElement.href : undefined;
    shown.replaceChildren(...part.childNodes);
    if (focused) [...shown.querySelectorAll('a')].find(({ href }) => href === focused)?.focus();
  }
  setTimeout(refresh, INTERVAL_MS);
}
