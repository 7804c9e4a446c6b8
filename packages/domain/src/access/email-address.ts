const MAX_BYTES = 254;
const MAX_LOCAL_BYTES = 64;
const LOCAL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * Whether a string is one e-mail address: a dot-atom before the @ and a host name after it (RFC 5321, RFC 6531), without a
 * name, quotes or comments, at most 254 bytes.
 */
export function isEmailAddress(text: string): boolean {
  if (Buffer.byteLength(text) > MAX_BYTES) return false;
  const [local = '', domain = '', ...rest] = text.split('@');
  if (rest.length > 0 || Buffer.byteLength(local) > MAX_LOCAL_BYTES || !LOCAL.test(local)) return false;
  return domain.split('.').every((label) => LABEL.test(label));
}
