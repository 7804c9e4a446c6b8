// Takes a picture of every page in every state, at two widths, light and dark: `npm run gallery`.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBrowser } from '@hitherto/testing/browser';
import { contextOf, openState } from './support/open-state.ts';
import { startStates } from './support/states.ts';

const WIDTHS = [1280, 390];
const SCHEMES = ['light', 'dark'] as const;
const folder = fileURLToPath(new URL('../../../gallery', import.meta.url));

await mkdir(folder, { recursive: true });
const [world, browser] = await Promise.all([startStates(), startBrowser()]);
const rows: string[] = [];
for (const [number, state] of world.states.entries()) {
  const context = await contextOf(browser, world, state.as);
  const page = await context.newPage();
  await openState(page, world.url, state);
  const pictures: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of SCHEMES) {
      const name = `${String(number).padStart(3, '0')}-${width}-${colorScheme}.png`;
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, name), fullPage: true });
      pictures.push(`<a href="${name}"><img src="${name}" width="${width / 4}" loading="lazy" alt=""></a>`);
    }
  }
  rows.push(`<h2>${state.name}, seen by ${state.as}</h2>${pictures.join('')}`);
  await context.close();
}
await writeFile(
  join(folder, 'index.html'),
  `<!doctype html><meta charset="utf-8"><title>Gallery</title>${rows.join('')}`,
);
await browser.close();
await world.pages.app.close();
console.log(join(folder, 'index.html'));
