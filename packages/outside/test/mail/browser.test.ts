import { startBrowser } from '@hitherto/testing/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderHtml } from '../../src/mail/html.tsx';
import { viewOf } from '../../src/mail/report-view.ts';
import { HOSTILE } from './hostile.ts';
import { aMail, aReport, goals, values } from './support.ts';

const [page, source] = [values(...HOSTILE.slice(0, 5)), values(...HOSTILE.slice(5))];
const report = aReport({
  url: `https://${'long-name.'.repeat(6)}example`,
  lists: { page, source, country: source, event: page },
  goals: goals(...HOSTILE, 'more').map((goal) => ({ ...goal, sum: `${'9'.repeat(500)}.99` })),
});
const HTML = renderHtml(viewOf(aMail({ report })));

let browser: Awaited<ReturnType<typeof startBrowser>>;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

test.each([
  { width: 600, colorScheme: 'light', ground: 'rgb(255, 255, 255)', text: 'rgb(23, 24, 28)' },
  { width: 390, colorScheme: 'dark', ground: 'rgb(26, 27, 32)', text: 'rgb(238, 238, 241)' },
] as const)(
  'hostile texts neither change the layout at $width px in $colorScheme nor request anything',
  async (look) => {
    const { width, colorScheme, ground, text } = look;
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    const shown = await context.newPage();
    const noticed: string[] = [];
    shown.on('request', (request) => noticed.push(request.url()));
    shown.on('dialog', (dialog) => noticed.push(dialog.message()));

    await shown.setContent(HTML);

    const styleOf = (selector: string, property: string) =>
      shown
        .locator(selector)
        .first()
        .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
    expect(noticed).toEqual([]);
    expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect([await styleOf('.card', 'background-color'), await styleOf('h1', 'color')]).toEqual([ground, text]);
    expect(await shown.locator('bdi').count()).toBe(1 + 10 + 20);
    expect(await shown.getByText('1,400 visits and').isVisible()).toBe(false);
    await context.close();
  },
);
