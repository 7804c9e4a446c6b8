import type { AddressInfo } from 'node:net';
import { startBrowser } from '@hitherto/testing/browser';
import { expect, onTestFinished, test } from 'vitest';
import { serveFaces } from './support/faces.ts';

test('the page at /docs shows the API in a browser', { timeout: 60_000 }, async () => {
  const { app } = await serveFaces(() => new Date());
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));

  await page.goto(`http://127.0.0.1:${port}/docs`);
  await page.waitForSelector('#operations-operations-isLive');

  expect(await page.textContent('.info .title')).toContain('Hitherto');
  expect(await page.textContent('#operations-operations-isLive')).toContain('/livez');
  expect(errors).toEqual([]);
});
