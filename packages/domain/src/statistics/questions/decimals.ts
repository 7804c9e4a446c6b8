/** A decimal number: `digits` times 10 to the power of -`places`. */
export interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

/** Reads a decimal number with an optional sign and without an exponent; `undefined` for any other string. */
export function readDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = ''] = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  return { digits: sign === '-' ? -digits : digits, places: fraction.length };
}

/** The exact sum of decimals, rounded half away from zero to two places: `149.50`. */
export function addDecimals(decimals: readonly Decimal[]): string {
  const places = Math.max(2, ...decimals.map((decimal) => decimal.places));
  const sum = decimals.reduce((total, decimal) => total + decimal.digits * 10n ** BigInt(places - decimal.places), 0n);
  const unit = 10n ** BigInt(places - 2);
  const size = ((sum < 0n ? -sum : sum) * 2n + unit) / (unit * 2n);
  const text = size.toString().padStart(3, '0');
  return `${sum < 0n && size > 0n ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}
