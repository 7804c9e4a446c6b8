import { type Browser, chromium } from 'playwright-core';
import { findChromium } from './chromium.ts';

/**
 * Starts a real Chromium, with web security, whether as root or as another user. Host names below `.test` are the loopback address.
 * Rejects where there is no browser; the caller closes it.
 */
export async function startBrowser(): Promise<Browser> {
  const { path, env } = await findChromium();
  return chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    // Root cannot use the sandbox, and containers often cannot either; the pages are our own.
    chromiumSandbox: false,
    args: ['--host-resolver-rules=MAP *.test 127.0.0.1', '--disable-gpu'],
  });
}
