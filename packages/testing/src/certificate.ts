import { generate } from 'selfsigned';

/** A certificate for this machine and its key, in PEM. */
export async function certificate(): Promise<{ cert: string; key: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
  return { cert, key };
}
