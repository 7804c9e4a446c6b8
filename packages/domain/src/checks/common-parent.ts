/** Below suffixes such as `co.uk` or `com.au`, names have nothing to do with each other. */
const SUFFIX = /^[^.]{1,3}\.[^.]{2}$/;

/** The host that two hosts are, or are below: `shop.example` of `a.shop.example` and `b.shop.example`; `undefined` without one. */
export function commonParent(one: string, other: string): string | undefined {
  const [labels, others] = [one.split('.').reverse(), other.split('.').reverse()];
  const different = labels.findIndex((label, index) => label !== others[index]);
  const common = different === -1 ? labels : labels.slice(0, different);
  const parent = [...common].reverse().join('.');
  return common.length < 2 || SUFFIX.test(parent) || /^[\d.]+$/.test(one) ? undefined : parent;
}
