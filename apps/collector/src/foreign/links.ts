/** Host and path of the target of a link, as in the events of Hitherto's own tracker; of no absolute address, all but its query. */
export function hostAndPath(address: string): string {
  try {
    const { hostname, pathname } = new URL(address);
    if (hostname !== '') return hostname + pathname;
  } catch {
    // It is kept as it is.
  }
  return address.replace(/^[a-z]+:\/\//i, '').replace(/[?#].*$/s, '');
}
