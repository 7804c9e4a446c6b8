import { readFile } from 'node:fs/promises';

/** The lines of a file in the folder `lists`, which is as far from the sources as from what is built of them. */
export async function linesOf(name: string): Promise<string[]> {
  const text = await readFile(new URL(`../../lists/${name}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}
