import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { DomainError } from '@hitherto/domain/base';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts strings that are stored, each bound to the row and column that it belongs to. */
export interface Seal {
  /** Throws a `DomainError` of code `no_secret_key` where the installation has no key. */
  seal(text: string, place: string): Buffer;
  /** `null` if it was sealed with another key or at another place, or not at all. */
  open(sealed: Buffer, place: string): string | null;
}

/** @param keyOf a key of 32 bytes; `undefined` where the installation has none */
export function createSeal(keyOf: () => Uint8Array | undefined): Seal {
  return {
    seal(text, place) {
      const key = keyOf();
      if (key === undefined) {
        throw new DomainError('no_secret_key', ({ faults }) => faults.noSecretKey);
      }
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(place));
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },

    open(sealed, place) {
      const key = keyOf();
      if (key === undefined) return null;
      try {
        const nonce = sealed.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-TAG_BYTES));
        const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
        return text + decipher.final('utf8');
      } catch {
        return null;
      }
    },
  };
}
