import { readFile } from 'node:fs/promises';

/** The lines of a file in the folder `lists`, whose relative path is the same from `src` and from `dist`. */
export async function linesOfList(name: string): Promise<string[]> {
  const text = await readFile(new URL(`../../lists/${name}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}
