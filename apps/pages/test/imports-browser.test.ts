import { beforeEach, describe, expect, test } from 'vitest';
import { startBrowsing } from './support/browsing.ts';
import { importSums } from './support/hostile-data.ts';
import { addRunningImport } from './support/running-import.ts';

const { world, contextOf } = await startBrowsing();

let running: Awaited<ReturnType<typeof addRunningImport>>;
let url: string;
beforeEach(async () => {
  const website = await world.pages.addWebsite();
  await importSums(world.pages, website);
  running = await addRunningImport(world.pages, website);
  url = `${world.url}/websites/${website.id}/imports`;
});

async function openPage(options: { readonly javaScriptEnabled?: boolean } = {}) {
  const context = await contextOf('owner', options);
  const page = await context.newPage();
  await page.goto(url);
  return { page, close: () => context.close() };
}

describe('A running import', () => {
  test('is followed without touching the form, the focus and what is open', async () => {
    const { page, close } = await openPage();
    const zone = page.getByLabel('Time zone for times without an offset');
    await page.getByText('Delete this import').click();
    await zone.pressSequentially('Europe/');

    await running.begin();
    await running.report(4_711);
    await page.getByText('4,711 rows read').waitFor();
    await page.keyboard.type('Berlin');

    expect(await zone.inputValue()).toBe('Europe/Berlin');
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).isVisible()).toBe(true);
    expect(await page.getByRole('link', { name: 'Refresh' }).count()).toBe(0);
    await running.fail('The file is damaged é 🦊.');
    await page.getByText('The file is damaged é 🦊.').waitFor();
    await page.keyboard.type('!');
    expect(await zone.inputValue()).toBe('Europe/Berlin!');
    await close();
  });

  test('announces its state, not its numbers', async () => {
    const { page, close } = await openPage();
    const announced = await page.waitForSelector('[aria-live="polite"]');
    const states = [await announced.textContent()];

    await running.begin();
    await running.report(4_711);
    await page.getByText('4,711 rows read').waitFor();
    states.push(await announced.textContent());
    await running.fail('The file is damaged é 🦊.');
    await page.getByText('The file is damaged é 🦊.').waitFor();
    states.push(await announced.textContent());

    expect(states).toEqual([
      'Waiting for other imports to end.',
      'Importing.',
      'Nothing was imported. The file is damaged é 🦊.',
    ]);
    await close();
  });

  test('moves the focus from the button that stops it to the one that replaces it', async () => {
    const { page, close } = await openPage();
    await page.getByRole('button', { name: 'Stop' }).focus();

    await running.fail('The file is damaged é 🦊.');
    const remove = page.getByRole('button', { name: 'Remove' });
    await remove.waitFor();

    expect(await page.evaluate('document.activeElement.textContent')).toBe('Remove');
    await close();
  });

  test('is no longer followed once the session has ended: a link leads to signing in', async () => {
    const { page, close } = await openPage();

    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Refresh' }).click();

    await page.getByLabel('Password').waitFor();
    await close();
  });

  test('has a link to refresh the page without scripts', async () => {
    const { page, close } = await openPage({ javaScriptEnabled: false });
    await running.begin();
    await running.report(4_711);

    await page.getByRole('link', { name: 'Refresh' }).click();

    await page.getByText('4,711 rows read').waitFor();
    await close();
  });
});
