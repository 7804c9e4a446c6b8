import type { Definition } from '@hitherto/domain/definitions';
import { newId } from '@hitherto/outside/system';
import { describe, expect, test } from 'vitest';
import { signIn } from './support/owner.ts';
import { decoded, filtersOf, SIGNUP, startStatistics, visitorsOf } from './support/statistics.ts';

const PURCHASE = {
  name: 'Purchase',
  steps: [
    { name: 'Product', page: '/product/*' },
    { name: 'Paid', page: '/thanks' },
  ],
};

describe('the card of goals', () => {
  const rowOf = (text: string, { id }: Definition) => {
    const [, row = ''] = new RegExp(`<tr data-value="${id}">(.*?)</tr>`).exec(text) ?? [];
    return {
      numbers: [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
      links: [...decoded(row).matchAll(/href="([^"]*)"/g)].map(([, href]) => href),
    };
  };

  test('shows visitors, conversions, rate and sum of each goal, of the visits that filters choose', async () => {
    const { pages, path, addGoal } = await startStatistics();
    const [signup, thanks] = [await addGoal(SIGNUP), await addGoal({ name: 'Thanks', page: '/thanks' })];

    const { text } = await pages.send('GET', path);
    const { text: filtered } = await pages.send('GET', `${path}?country=DE`);

    expect(rowOf(text, signup).numbers).toEqual(['1', '2', '25.0\u00a0%', '149.50']);
    expect(rowOf(text, thanks).numbers).toEqual(['1', '1', '25.0\u00a0%', '']);
    expect(rowOf(filtered, signup).numbers).toEqual(['1', '2', '100\u00a0%', '149.50']);
  });

  test('draws the conversions of the days that are over, or of the months', async () => {
    const { pages, website, path, addGoal } = await startStatistics();
    const { id } = await addGoal({ name: 'Sale', event: 'Sale' });
    await pages.addHits(website, [
      { name: 'Sale', day: '2026-09-30' },
      { name: 'Sale', day: '2026-11-16' },
      ...[1n, 2n].map((visitor) => ({ name: 'Sale', visitor, day: '2026-11-18' })),
      { name: 'Sale', day: '2026-11-20' },
    ]);
    const lineOf = async (period: string) => {
      const { text } = await pages.send('GET', `${path}?${period}`);
      return new RegExp(`data-value="${id}"><th scope="row"><svg class="spark-line".*?class="line" d="(.*?)"`).exec(
        text,
      )?.[1];
    };

    expect(await lineOf('from=2026-11-16&to=2026-11-20')).toBe('M0,21L53,38L107,4L160,38');
    expect(await lineOf('from=2026-11-16&to=2026-11-18')).toBe('M0,21L80,38L160,4');
    expect(await lineOf('period=12m')).toMatch(/38L160,38$/);
    expect(await lineOf('period=today')).toBeUndefined();
  });

  test('shows how the visitors of each goal changed, where all days before have hits', async () => {
    const { pages, website, path, addGoal } = await startStatistics();
    const goals = [
      await addGoal({ name: 'Sale', event: 'Sale' }),
      await addGoal({ name: 'Call', event: 'Call' }),
      await addGoal({ name: 'None', event: 'None' }),
    ];
    const sale = (day: string, visitor: bigint) => ({ name: 'Sale', visitor, day, time: new Date(`${day}T08:00:00Z`) });
    await pages.addHits(website, [
      ...[sale('2026-11-17', 1n), sale('2026-11-17', 2n)],
      ...[sale('2026-11-18', 1n), sale('2026-11-18', 2n), sale('2026-11-18', 3n)],
      { name: 'Call', day: '2026-11-18' },
    ]);
    const changesOf = async (query: string) => {
      const { text } = await pages.send('GET', `${path}?${query}`);
      return goals.map((goal) => rowOf(text, goal).numbers[3]);
    };

    const compared = await changesOf('from=2026-11-18&to=2026-11-18');

    expect(compared).toEqual([expect.stringMatching('^↑\u00a050\u00a0%'), 'new', '']);
    expect(await changesOf('from=2026-11-18&to=2026-11-18&compare=none')).toEqual([undefined, undefined, undefined]);
  });

  test('shows exact sums of any size', async () => {
    const { pages, website, path, addGoal } = await startStatistics();
    const goal = await addGoal({ name: 'Large', event: 'Large', sum: 'amount' });
    await pages.addHits(website, [
      { name: 'Large', props: { amount: '-9007199254740993' } },
      { name: 'Large', props: { amount: '-0.5' } },
    ]);

    const { text } = await pages.send('GET', path);

    expect(rowOf(text, goal).numbers.at(-1)).toBe('−9,007,199,254,740,993.50');
  });

  test('filters by a goal, and shows its rate in every list in front', async () => {
    const { pages, path, addGoal } = await startStatistics();
    const goal = await addGoal(SIGNUP);
    const [filter = '', rate = ''] = rowOf((await pages.send('GET', path)).text, goal).links;

    const { text: filtered } = await pages.send('GET', filter);
    const { text: rated } = await pages.send('GET', rate);

    expect([filter, rate]).toEqual([`${path}?goal=${goal.id}`, `${path}?conversion=${goal.id}`]);
    expect([filtersOf(filtered), visitorsOf(filtered)]).toEqual([['Goal is Signup'], '1']);
    expect(rated.match(/<th scope="col">Rate<\/th>/g)).toHaveLength(6);
    expect(rated).toMatch(/data-value="\/thanks">.*?<td data-metric="conversion_rate"><data value="1">100\u00a0%</);
    expect(rowOf(rated, goal).links[1]).toBe(path);
  });

  test('puts the conversions of a goal into whole lists and CSV', async () => {
    const { pages, path, addGoal } = await startStatistics();
    const { id } = await addGoal(SIGNUP);

    const { text: list } = await pages.send('GET', `${path}/by/country?conversion=${id}`);
    const { text: csv } = await pages.send('GET', `${path}/by/country.csv?conversion=${id}`);

    expect(list).toMatch(/<th scope="col" title="Conversion rate of the goal Signup"><a href="[^"]*">Rate<\/a><\/th>/);
    expect(list).toMatch(/<tr data-value="DE">.*?<td data-metric="converted_visitors">1<\/td>/);
    expect(csv).toContain('converted_visitors,conversions,conversion_rate\r\n');
    expect(csv).toContain('DE,1,1,2,0,30,,,1,2,1\r\n');
  });

  test('has a CSV', async () => {
    const { pages, path, addGoal } = await startStatistics();
    const { id } = await addGoal(SIGNUP);

    const { text, headers } = await pages.send('GET', `${path}/goals.csv?country=DE`);

    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(text).toBe(
      `\ufeffgoal_id,goal_name,visitors,visits,conversions,conversion_rate,sum\r\n${id},Signup,1,1,2,1,149.5\r\n`,
    );
  });

  test('is absent without goals; the owner sees where to define the first', async () => {
    const { pages, website, path } = await startStatistics();
    const { cookies } = await signIn(pages);

    const { text: owner } = await pages.send('GET', path, { cookies });
    const { text: nobody } = await pages.send('GET', path);

    expect(nobody).not.toMatch(/id="goals"|id="funnels"|\/websites\//);
    expect(owner).not.toMatch(/id="goals"|id="funnels"/);
    expect(owner).toContain(`href="/websites/${website.id}/goals/new"`);
    expect(owner).toContain(`href="/websites/${website.id}/funnels/new"`);
  });
});

describe('the card of funnels', () => {
  const stepsOf = (text: string) =>
    [...text.matchAll(/<li data-step="([^"]*)" data-visits="(\d+)" data-visitors="\d+">(.*?)<\/li>/g)].map(
      ([, name, visits, rest = '']) => [name, visits, /<p class="loss">(.*?)<\/p>/.exec(rest)?.[1]],
    );

  test('shows the visits of each step, and how many were lost before it', async () => {
    const { pages, path, addFunnel } = await startStatistics();
    await addFunnel(PURCHASE);

    const { text } = await pages.send('GET', path);

    expect(stepsOf(text)).toEqual([
      ['Product', '2', undefined],
      ['Paid', '1', '1 left (50\u00a0%)'],
    ]);
    expect(text).not.toContain('aria-label="Funnels"');
  });

  test('says how many visits take all steps, and before which step most leave', async () => {
    const { pages, path, addFunnel } = await startStatistics();
    await addFunnel(PURCHASE);
    const { id } = await addFunnel({
      name: 'Nobody',
      steps: PURCHASE.steps.map((step) => ({ ...step, page: '/nowhere' })),
    });

    const { text } = await pages.send('GET', path);
    const { text: unreached } = await pages.send('GET', `${path}?funnel=${id}`);

    const [, sentence = ''] = /<p class="funnel-summary">(.*?)<\/p>/.exec(text) ?? [];
    expect(sentence.replaceAll(/<[^>]*>/g, '')).toBe(
      '50.0\u00a0% of visits that reach Product reach Paid. Most leave before Paid: 1.',
    );
    expect(unreached).not.toContain('funnel-summary');
  });

  test('draws a column for each step, as high as its share, and the fall to the next', async () => {
    const { pages, path, addFunnel } = await startStatistics();
    await addFunnel(PURCHASE);

    const { text } = await pages.send('GET', path);

    const columns = [...text.matchAll(/<svg class="column"[^>]*>(.*?)<\/svg>/g)].map(([, drawn = '']) =>
      [...drawn.matchAll(/ d="([^"]*)"/g)].map(([, d]) => d),
    );
    expect(columns).toEqual([['M60 0.0L100 50.0V100H60z', 'M0 0.0H60V100H0z'], ['M0 50.0H60V100H0z']]);
  });

  test('shows one of several, and has a CSV of it', async () => {
    const { pages, path, addFunnel } = await startStatistics();
    await addFunnel(PURCHASE);
    const { id } = await addFunnel({ ...PURCHASE, name: 'Other', steps: PURCHASE.steps.toReversed() });

    const { text } = await pages.send('GET', `${path}?funnel=${id}`);
    const { text: csv } = await pages.send('GET', `${path}/funnels/${id}.csv`);

    expect(stepsOf(text)[0]).toEqual(['Paid', '1', undefined]);
    expect(text).toContain(`<a href="${path}#funnels"><bdi>Purchase</bdi></a>`);
    expect(csv).toBe('\ufeffstep,visits,visitors,of_first,of_previous\r\nPaid,1,1,1,1\r\nProduct,0,0,0,0\r\n');
  });

  test('has no CSV of a funnel that does not exist, or of a page that the viewer may not see', async () => {
    const { pages, path } = await startStatistics();
    const hidden = await pages.addWebsite({ privacy: 'private' });

    const found = await Promise.all(
      [`${path}/funnels/${newId()}.csv`, `${path}/funnels/x`, `/statistics/${hidden.id}/goals.csv`].map((one) =>
        pages.send('GET', one),
      ),
    );

    expect(found.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

test('names of segments, goals and steps are escaped everywhere', async () => {
  const { pages, path, addGoal, addFunnel, addSegment } = await startStatistics();
  const name = '"><img src=x onerror=alert(1)>';
  const goal = await addGoal({ ...SIGNUP, name });
  await addFunnel({ name, steps: PURCHASE.steps.map((step) => ({ ...step, name })) });
  const segment = await addSegment({ name, filters: [['page.not', [name]]] });

  const found = await Promise.all(
    [
      `?segment=${segment.id}&goal=${goal.id}&conversion=${goal.id}`,
      '?add=goal&value=x',
      `/by/page?conversion=${goal.id}`,
      '/suggestions?add=goal',
    ].map((rest) => pages.send('GET', `${path}${rest}`)),
  );

  for (const { status, text } of found) {
    expect(status).toBe(200);
    expect(text).not.toContain('<img');
  }
});
