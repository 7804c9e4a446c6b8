import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type SvgFault, svgFault } from './svg-logo.ts';

/** The picture of an account, checked by its content. */
export interface Logo {
  /** The hash of its content, and its kind: `3f6f….png`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Why a file is no logo. */
export type LogoFault = { readonly is: 'too_large' } | { readonly is: 'no_image' } | SvgFault;

export const MAX_LOGO_BYTES = 50 * 1024;

const HASH_DIGITS = 32;
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Of a chunk: its length, its type and its checksum. */
const CHUNK_FRAME = 12;
const MAX_SIDE = 4096;

/** Reads the bytes of a PNG or an SVG, whatever the file was called. */
export function readLogo(bytes: Uint8Array): Logo | LogoFault {
  if (bytes.length > MAX_LOGO_BYTES) return { is: 'too_large' };
  const name = (kind: LogoKind) => `${hash('sha256', bytes, 'hex').slice(0, HASH_DIGITS)}.${kind}`;
  const content = Buffer.from(bytes);
  if (SIGNATURE.equals(content.subarray(0, SIGNATURE.length))) {
    return isPng(content) ? { name: name('png'), bytes } : { is: 'no_image' };
  }
  return svgFault(bytes) ?? { name: name('svg'), bytes };
}

export type LogoKind = 'png' | 'svg';

/** The kind that the name of a logo says; `undefined` if it is no such name. */
export function logoKind(name: string): LogoKind | undefined {
  const [, kind] = /^[\da-f]{32}\.(png|svg)$/.exec(name) ?? [];
  return kind === 'png' || kind === 'svg' ? kind : undefined;
}

/** Whether all chunks are whole, from the header to the end, and nothing follows. */
function isPng(bytes: Buffer): boolean {
  let at = SIGNATURE.length;
  for (let count = 0; at + CHUNK_FRAME <= bytes.length; count += 1) {
    const end = at + CHUNK_FRAME + bytes.readUInt32BE(at);
    if (end > bytes.length) return false;
    const chunk = bytes.subarray(at + 4, end - 4);
    if (crc32(chunk) !== bytes.readUInt32BE(end - 4)) return false;
    const type = chunk.toString('latin1', 0, 4);
    if ((type === 'IHDR') !== (count === 0)) return false;
    if (count === 0 && (chunk.length !== 17 || !hasSides(chunk))) return false;
    if (type === 'IEND') return end === bytes.length && count > 1;
    at = end;
  }
  return false;
}

function hasSides(header: Buffer): boolean {
  return [header.readUInt32BE(4), header.readUInt32BE(8)].every((side) => side > 0 && side <= MAX_SIDE);
}
