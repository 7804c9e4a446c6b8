// Fetches the page of a website without visits again and again, and loads it when it has changed. The focus and what is copied
// stay as they are until then.
const INTERVAL_MS = 5_000;

setTimeout(refresh, INTERVAL_MS);

async function refresh() {
  // A request that fails is repeated like any other.
  const response = await fetch(location.href).catch(() => undefined);
  const text = response?.ok ? await response.text().catch(() => undefined) : undefined;
  const stateOf = (page) => page.querySelector('[data-waiting]')?.dataset.waiting;
  const now = text === undefined ? stateOf(document) : stateOf(new DOMParser().parseFromString(text, 'text/html'));
  if (now !== stateOf(document)) location.reload();
  else setTimeout(refresh, INTERVAL_MS);
}
