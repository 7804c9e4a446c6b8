import type { AddressInfo } from 'node:net';
import { startBrowser } from '@hitherto/testing/browser';
import { expect, onTestFinished, test } from 'vitest';
import { serveFaces } from './support/faces.ts';

test('the page at /docs shows the API in a browser, and sends a request', { timeout: 60_000 }, async () => {
  const { app } = await serveFaces(() => new Date());
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));

  await page.goto(`http://127.0.0.1:${port}/docs#/operations/isLive`);
  await page.click('#operations-operations-isLive .try-out__btn');
  await page.click('#operations-operations-isLive .execute');
  await page.waitForSelector('#operations-operations-isLive .live-responses-table');

  const heading = await page.textContent('.info .title');
  const response = await page.textContent('#operations-operations-isLive .live-responses-table');
  expect(heading).toContain('Hitherto');
  expect(response).toContain('"status": "ok"');
  expect(errors).toEqual([]);
});
