/** Host and path of the target of a link, as in the events of Hitherto's own tracker. */
export function withoutScheme(address: string): string {
  return address.replace(/^[a-z]+:\/\//i, '').replace(/[?#].*$/s, '');
}
