import { BROWSERS, DEVICES, SYSTEMS } from '@hitherto/domain/hits';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDevice } from '../../src/lookups/devices.ts';
import { AGENTS } from './agents.ts';

describe('the device behind a user agent', () => {
  test.each(AGENTS)('of %s', (agent, browser, os, device) => {
    expect(readDevice(agent)).toEqual({ browser, os, device });
  });

  test('has only names from the closed lists, whatever the user agent', () => {
    const browsers = new Set<string | null>([...BROWSERS.values(), 'WKWebView', null]);
    const systems = new Set<string | null>([...SYSTEMS.values(), null]);
    const parts = AGENTS.flatMap(([agent]) => agent.split(' '));
    const agents = fc.oneof(
      fc.string({ maxLength: 1_000 }),
      fc
        .array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 20 })), { maxLength: 40 })
        .map((words) => words.join(' ')),
    );

    fc.assert(
      fc.property(agents, (agent) => {
        const { browser, os, device } = readDevice(agent);

        expect(browsers).toContain(browser);
        expect(systems).toContain(os);
        expect(DEVICES).toContain(device);
      }),
    );
  });

  test('is read from the beginning of a very long user agent', () => {
    const [[agent] = ['']] = AGENTS;

    const { browser, os } = readDevice(agent + ' x'.repeat(100_000));

    expect({ browser, os }).toEqual({ browser: 'Chrome', os: 'Windows' });
  });
});
