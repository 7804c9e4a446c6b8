import { readUrl } from '@hitherto/domain';

/** Host and path of the target of a link, as in the events of Hitherto's own tracker. An address without a host loses its query alone. */
export function hostAndPath(address: string): string {
  const url = readUrl(address);
  if (url !== undefined && url.hostname !== '') return url.hostname + url.pathname;
  return address.replace(/^[a-z]+:\/\//i, '').replace(/[?#].*$/s, '');
}
