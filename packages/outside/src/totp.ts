import type { Totp } from '@hitherto/domain/people';
import { Secret, TOTP } from 'otpauth';

const ISSUER = 'Hitherto';
const SECRET_BYTES = 20;
const PERIOD_S = 30;

/** Time-based codes: RFC 6238 with SHA-1, 6 digits and steps of 30 s, which all apps know. */
export const totp: Totp = {
  makeSecret: (randomBytes) => new Secret({ buffer: Uint8Array.from(randomBytes(SECRET_BYTES)).buffer }).base32,

  stepOf(secret, code, at) {
    // The library throws at six characters of more bytes.
    if (!/^\d{6}$/.test(code)) return undefined;
    const [of, timestamp] = [totpOf(secret), at.getTime()];
    const delta = of.validate({ token: code, timestamp, window: 1 });
    return delta === null ? undefined : of.counter({ timestamp }) + delta;
  },

  uriOf: (secret, email) => totpOf(secret, email).toString(),
};

function totpOf(secret: string, label = ''): TOTP {
  return new TOTP({ issuer: ISSUER, label, algorithm: 'SHA1', digits: 6, period: PERIOD_S, secret });
}
