/** A PNG of one red pixel. */
export function aPng(): Uint8Array {
  const text = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/** An SVG of one rectangle. */
export const AN_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#0f7345"/></svg>';
