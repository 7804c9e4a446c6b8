import { setTimeout as sleep } from 'node:timers/promises';
import { timeZone } from '@hitherto/domain/calendar';
import { compileSettings } from '@hitherto/domain/hits';
import type { Website } from '@hitherto/domain/websites';
import { aWebsite } from '@hitherto/testing/fixtures';
import { describe, expect, test } from 'vitest';
import { createWebsiteSettings } from '../src/hits/website-settings.ts';
import { createDirectory } from './support/directory.ts';

const zone = timeZone('Europe/Berlin');
/** Without excluded addresses, whose compiled form cannot be compared. */
const plainWebsite = (fields: Partial<Website> = {}) => aWebsite({ excludedIps: [], ...fields });
const ID = plainWebsite().id;
const OTHER_ID = '01997c3e-0000-7000-8000-000000000002';

/** Settings over a directory of these websites, on a clock that the test moves. */
function settingsOf(...websites: Website[]) {
  const directory = createDirectory(...websites.map((website) => ({ accountId: 'é', website })));
  const time = { ms: 0 };
  const stop = new AbortController();
  const lifecycle = { isPrepared: true, isStopping: false };
  const settings = createWebsiteSettings({ directory, zone, lifecycle, clock: () => time.ms, signal: stop.signal });
  const change = (website: Website) => directory.entries.splice(0, Infinity, { accountId: 'é', website });
  return { settings, directory, time, stop, change, lifecycle };
}

const changed = plainWebsite({ url: 'https://changed.example' });

describe('settings', () => {
  test('are read once within 10 s', async () => {
    const { settings, directory, time } = settingsOf(plainWebsite());

    await settings.find(ID);
    time.ms = 9_999;
    const again = settings.find(ID);

    expect(again).toEqual(compileSettings(plainWebsite(), zone));
    expect(directory.asked).toEqual([ID]);
  });

  test('are read again after 10 s, even if no change was announced', async () => {
    const { settings, time, change } = settingsOf(plainWebsite());

    await settings.find(ID);
    change(changed);
    time.ms = 10_000;

    expect(await settings.find(ID)).toEqual(compileSettings(changed, zone));
  });

  test.each([
    ['that was announced', ID],
    ['that may have been missed', undefined],
  ])('are read again at once after a change %s', async (_, id) => {
    const { settings, directory, change } = settingsOf(plainWebsite());

    await settings.find(ID);
    change(changed);
    directory.tell(id);

    expect(await settings.find(ID)).toEqual(compileSettings(changed, zone));
  });

  test('stay cached when another website changes', async () => {
    const { settings, directory } = settingsOf(plainWebsite());

    await settings.find(ID);
    directory.tell(OTHER_ID);
    await settings.find(ID);

    expect(directory.asked).toEqual([ID]);
  });

  test('that were read before a change are not cached', async () => {
    const { settings, directory, change } = settingsOf(plainWebsite());
    directory.gate = sleep(20);

    const before = settings.find(ID);
    change(changed);
    directory.tell(ID);
    await before;

    expect(await settings.find(ID)).toEqual(compileSettings(changed, zone));
  });

  test('are read once for concurrent callers', async () => {
    const { settings, directory } = settingsOf(plainWebsite());

    await Promise.all([settings.find(ID), settings.find(ID), settings.find(ID)]);

    expect(directory.asked).toEqual([ID]);
  });

  test('are read again after a failure', async () => {
    const { settings, directory } = settingsOf(plainWebsite());
    directory.gate = Promise.reject(new Error('away'));
    await expect(settings.find(ID)).rejects.toThrow('away');

    directory.gate = Promise.resolve();

    expect(await settings.find(ID)).toEqual(compileSettings(plainWebsite(), zone));
  });
});

describe('an unknown website', () => {
  test('is remembered for 10 s', async () => {
    const { settings, directory, time } = settingsOf();

    await settings.find(ID);
    time.ms = 9_999;
    const within = settings.find(ID);
    time.ms = 10_000;
    await settings.find(ID);

    expect(within).toBeUndefined();
    expect(directory.asked).toEqual([ID, ID]);
  });

  test('is found at once after a change is announced', async () => {
    const { settings, directory, change } = settingsOf();

    await settings.find(ID);
    change(plainWebsite());
    directory.tell(ID);

    expect(await settings.find(ID)).toEqual(compileSettings(plainWebsite(), zone));
  });

  test('does not evict a known one', async () => {
    const { settings, directory } = settingsOf(plainWebsite());
    await settings.find(ID);

    for (let id = 0; id < 20_000; id += 1) {
      await settings.find(`01997c3e-0000-7000-9000-${String(id).padStart(12, '0')}`);
    }
    await settings.find(ID);

    expect(directory.asked.filter((id) => id === ID)).toHaveLength(1);
  });

  test.each(['', 'x', `${ID} `, "'; drop table hit; --"])('with the malformed id %j is never looked up', async (id) => {
    const { settings, directory } = settingsOf(plainWebsite());

    expect(settings.find(id)).toBeUndefined();
    expect(directory.asked).toEqual([]);
  });
});

describe('the id of a website', () => {
  test('is known once its settings are, whatever the letter case', async () => {
    const { settings } = settingsOf(plainWebsite());
    const before = settings.knownId(ID);

    await settings.find(ID);

    expect([before, settings.knownId(ID.toUpperCase())]).toEqual([undefined, ID]);
  });

  test('is known by every spelling of its address once it was found by one', async () => {
    const { settings } = settingsOf(plainWebsite({ url: 'https://ex.com' }));
    const before = settings.knownId('ex.com');

    await settings.findByAnyName('ex.com');

    expect(before).toBeUndefined();
    for (const text of ['ex.com', 'https://EX.com/', 'ex.com:443']) expect(settings.knownId(text)).toBe(ID);
  });

  test('is not known of other websites', async () => {
    const { settings } = settingsOf();
    await settings.find(ID);
    await settings.findByAnyName('ex.com');

    for (const text of [ID, 'ex.com', 'a b', '']) expect(settings.knownId(text)).toBeUndefined();
  });
});

describe('an alias', () => {
  const website = plainWebsite({ url: 'https://ex.com', aliases: ['Blog.example', 'matomo:3', OTHER_ID] });

  test('finds its website, letter by letter, whoever may have it as an address', async () => {
    const named = plainWebsite({ id: OTHER_ID.replace('2', '3'), url: 'https://blog.example' });
    const { settings } = settingsOf(website, named);

    expect(await settings.findByAnyName('Blog.example')).toEqual(compileSettings(website, zone));
    expect(await settings.findByAnyName('blog.example')).toEqual(compileSettings(named, zone));
    expect(await settings.findByIdOrAlias('matomo:3')).toEqual(compileSettings(website, zone));
    expect(await settings.findByIdOrAlias('ex.com')).toBeUndefined();
    expect(settings.knownId('Blog.example')).toBe(ID);
  });

  test('that is the id of another website finds that website', async () => {
    const other = plainWebsite({ id: OTHER_ID, url: 'https://other.example' });

    expect(await settingsOf(website).settings.findByIdOrAlias(OTHER_ID)).toEqual(compileSettings(website, zone));
    expect(await settingsOf(website, other).settings.findByIdOrAlias(OTHER_ID)).toEqual(compileSettings(other, zone));
  });

  test('is looked up again after any change', async () => {
    const { settings, directory, change } = settingsOf(plainWebsite());

    const before = await settings.findByIdOrAlias('matomo:3');
    change(website);
    directory.tell(OTHER_ID);

    expect(before).toBeUndefined();
    directory.tell(ID);
    expect(await settings.findByIdOrAlias('matomo:3')).toEqual(compileSettings(website, zone));
  });

  test.each(['', 'a b', 'é', 'x'.repeat(256), 'a\0'])(
    'that no website can have is never looked up: %j',
    async (text) => {
      const { settings, directory } = settingsOf(website);

      expect(await settings.findByIdOrAlias(text)).toBeUndefined();
      expect(directory.asked).toEqual([]);
    },
  );
});

describe('a name that several accounts have', () => {
  /** Settings over websites of accounts of these names, in the order in which they got their names. */
  function settingsOfAccounts(...owned: (readonly [accountId: string, fields: Partial<Website>])[]) {
    const { settings, directory } = settingsOf();
    const websites = owned.map(([accountId, fields], index) => {
      const website = plainWebsite({ id: OTHER_ID.replace(/2$/, `${index + 1}`), ...fields });
      directory.entries.push({ accountId, website });
      return compileSettings(website, zone);
    });
    return { settings, websites };
  }

  test.each<[string, string, Partial<Website>, Partial<Website>]>([
    ['an alias of another account', 'ex.com', { url: 'https://ex.com' }, { aliases: ['ex.com'] }],
    ['an alias in another spelling', 'EX.com', { url: 'https://ex.com' }, { aliases: ['EX.com'] }],
    ['the same address', 'ex.com', { url: 'https://ex.com' }, { url: 'https://ex.com' }],
    ['exactly the address', 'ex.com', { url: 'https://ex.com/shop' }, { url: 'https://ex.com' }],
    ['the address without www.', 'ex.com', { url: 'https://www.ex.com' }, { url: 'https://ex.com' }],
    ['the address of an alias', 'ex.com', { url: 'https://x.com', aliases: ['ex.com'] }, { url: 'https://ex.com' }],
  ])('leads to the first one: %s does not divert it', async (_, name, first, second) => {
    const { settings, websites } = settingsOfAccounts(['a', first], ['b', second]);

    expect(await settings.findByAnyName(name)).toEqual(websites[0]);
  });

  test('stays ambiguous within the account that had it first', async () => {
    const { settings } = settingsOfAccounts(
      ['a', { url: 'https://ex.com/1' }],
      ['a', { url: 'https://ex.com/2' }],
      ['b', { url: 'https://ex.com/3' }],
    );

    expect(await settings.findByAnyName('ex.com')).toBeUndefined();
  });

  test('and the other of two names leads to the account that had its name first', async () => {
    const byHost = { url: 'https://ex.com' };
    const byId = { url: 'https://x.com', aliases: ['pa-1', 'goatcounter:blog'] };
    const hostFirst = settingsOfAccounts(['a', byHost], ['b', byId]);
    const idFirst = settingsOfAccounts(['b', byId], ['a', byHost]);
    const codeFirst = settingsOfAccounts(['b', byId], ['a', { aliases: ['blog.ex.com'] }]);
    const wholeHostFirst = settingsOfAccounts(['a', { aliases: ['blog.ex.com'] }], ['b', byId]);
    const oneAccount = settingsOfAccounts(
      ['a', { aliases: ['goatcounter:blog'] }],
      ['a', { aliases: ['blog.ex.com'] }],
    );

    const byPage = (settings: (typeof hostFirst)['settings']) => settings.findByEither('any', 'pa-1', 'ex.com');
    const byCode = (settings: (typeof hostFirst)['settings']) =>
      settings.findByEither('alias', 'blog.ex.com', 'goatcounter:blog');
    expect(await byPage(hostFirst.settings)).toEqual(hostFirst.websites[0]);
    expect(await byPage(idFirst.settings)).toEqual(idFirst.websites[0]);
    expect(await byCode(codeFirst.settings)).toEqual(codeFirst.websites[0]);
    expect(await byCode(wholeHostFirst.settings)).toEqual(wholeHostFirst.websites[0]);
    expect(await byCode(oneAccount.settings)).toEqual(oneAccount.websites[1]);
    expect(await idFirst.settings.findByEither('any', 'pa-2', 'ex.com')).toEqual(idFirst.websites[1]);
  });
});

test('lookups wait for the database to be prepared, as for one that is away', async () => {
  const { settings, lifecycle, directory } = settingsOf(plainWebsite());
  lifecycle.isPrepared = false;

  await expect(settings.find(ID)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(settings.findByAnyName('ex.com')).rejects.toMatchObject({ code: 'unavailable' });

  expect(directory.asked).toEqual([]);
});

describe('an address', () => {
  const website = plainWebsite({ url: 'https://xn--caf-dma.example/shop' });

  test.each(['café.example/shop', 'http://CAFÉ.example:80/shop/', 'xn--caf-dma.example/shop'])(
    'in the spelling %s finds its website',
    async (text) => {
      const { settings } = settingsOf(website);

      expect(await settings.findByAnyName(text)).toEqual(compileSettings(website, zone));
    },
  );

  test.each([
    ['example.com/shop', 'www.example.com/shop'],
    ['www.example.com', 'example.com'],
    ['www.example.com:8443', 'example.com:8443'],
  ])('%s finds the website %s, because "www." does not matter', async (text, address) => {
    const named = plainWebsite({ url: `https://${address}` });
    const { settings } = settingsOf(named);

    expect(await settings.findByAnyName(text)).toEqual(compileSettings(named, zone));
    expect(settings.knownId(text)).toBe(named.id);
  });

  test('finds the website with exactly this address before the one with "www."', async () => {
    const named = plainWebsite({ id: OTHER_ID, url: 'https://www.example.com' });
    const { settings } = settingsOf(plainWebsite({ url: 'https://example.com' }), named);

    expect(await settings.findByAnyName('www.example.com')).toEqual(compileSettings(named, zone));
  });

  test('keeps "www." before a single label', async () => {
    const { settings } = settingsOf(plainWebsite({ url: 'https://www.com' }));

    expect(await settings.findByAnyName('com')).toBeUndefined();
  });

  test.each(['café.example/other', 'b.example', 'a b', ''])('of no website finds nothing: %j', async (text) => {
    const { settings } = settingsOf(website);

    expect(await settings.findByAnyName(text)).toBeUndefined();
  });

  test('of two websites finds nothing', async () => {
    const { settings } = settingsOf(website, { ...website, id: OTHER_ID });

    expect(await settings.findByAnyName('café.example/shop')).toBeUndefined();
  });

  test.each(['café.example', 'www.café.example'])('that is a host finds the one website below it: %s', async (text) => {
    const { settings } = settingsOf(website);

    expect(await settings.findByAnyName(text)).toEqual(compileSettings(website, zone));
  });

  test('that is a host finds nothing if two websites have it, but the one with exactly this address', async () => {
    const [one, other] = [{ ...website, id: OTHER_ID }, plainWebsite({ url: 'https://xn--caf-dma.example' })];
    const both = settingsOf(website, { ...one, url: `${website.url}/2` });
    const exact = settingsOf(one, other);

    expect(await both.settings.findByAnyName('café.example')).toBeUndefined();
    expect(await exact.settings.findByAnyName('café.example')).toEqual(compileSettings(other, zone));
  });

  test('is looked up again after any change', async () => {
    const { settings, directory, change } = settingsOf();

    await settings.findByAnyName('café.example/shop');
    change(website);
    directory.tell(ID);

    expect(await settings.findByAnyName('café.example/shop')).toEqual(compileSettings(website, zone));
  });
});
