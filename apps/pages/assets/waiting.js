// Fetches the page of a website without visits again and again, and loads it when it has changed. The focus and what is copied
// stay as they are until then.
const INTERVAL_MS = 5_000;

setTimeout(refresh, INTERVAL_MS);

async function refresh() {
  // A request that fails is repeated like any other.
  const response = await fetch(location.href).catch(() => undefined);
  const text = response?.ok ? await response.text().catch(() => undefined) : undefined;
  const isWaiting = (page) => page.querySelector('[data-waiting]') !== null;
  if (text !== undefined && !isWaiting(new DOMParser().parseFromString(text, 'text/html'))) location.reload();
  else setTimeout(refresh, INTERVAL_MS);
}
