import type { PropertyValue } from '@hitherto/domain/hits';
import type { Random } from './random.ts';

/** The website that the demo shows: it exists nowhere. */
export const DEMO_URL = 'https://demo.example';

type Weighted<T> = readonly (readonly [weight: number, value: T])[];

/** Where a visit begins: its referrer, the campaign labels of its address, and the page. */
export interface Arrival {
  readonly referrer?: string;
  readonly query?: string;
  readonly path: string;
}

const ENTRY_PAGES: Weighted<string> = [
  [30, '/'],
  [16, '/guides/first-steps'],
  [12, '/blog/why-we-left-the-cloud'],
  [9, '/guides/exports'],
  [8, '/pricing'],
  [6, '/blog/a-year-in-numbers'],
  [5, '/guides/keyboard-shortcuts'],
  [4, '/blog/release-2-4'],
  [3, '/changelog'],
];

/** The page that launched on day 58 of the 90: most of its visitors come from one thread. */
const LAUNCH_PAGE = '/blog/release-2-4';
export const LAUNCH_DAY = 58;

const NEXT_PAGES: Weighted<string> = [
  [20, '/pricing'],
  [16, '/guides/first-steps'],
  [13, '/features'],
  [10, '/'],
  [9, '/download'],
  [8, '/guides/exports'],
  [7, '/about'],
  [6, '/changelog'],
  [5, '/guides?page=2'],
  [4, '/contact'],
  [3, '/guides/keyboard-shortcuts'],
];

const REFERRERS: Weighted<Omit<Arrival, 'path'>> = [
  [30, {}],
  [27, { referrer: 'https://www.google.com/' }],
  [5, { referrer: 'https://duckduckgo.com/' }],
  [4, { referrer: 'https://www.bing.com/' }],
  [6, { referrer: 'https://github.com/' }],
  [4, { referrer: 'https://chatgpt.com/' }],
  [3, { referrer: 'https://www.reddit.com/r/selfhosted/' }],
  [3, { referrer: 'https://www.linkedin.com/' }],
  [2, { referrer: 'https://www.youtube.com/' }],
  [2, { referrer: 'https://blog.example.org/tools-we-use' }],
  [5, { query: '?utm_source=newsletter&utm_medium=email&utm_campaign=autumn' }],
  [3, { referrer: 'https://www.google.com/', query: '?utm_source=google&utm_medium=cpc&utm_campaign=brand' }],
];

const LAUNCH_REFERRER: Omit<Arrival, 'path'> = { referrer: 'https://news.ycombinator.com/item' };

/** How a visit to the website begins; shortly after the launch most come from the thread about it. */
export function makeArrival(random: Random, day: number): Arrival {
  const sinceLaunch = day - LAUNCH_DAY;
  if (sinceLaunch >= 0 && random.fraction() < 0.7 / (1 + sinceLaunch) ** 1.5) {
    return { ...LAUNCH_REFERRER, path: LAUNCH_PAGE };
  }
  return { ...random.pick(REFERRERS), path: random.pick(ENTRY_PAGES) };
}

export function makeNextPage(random: Random): string {
  return random.pick(NEXT_PAGES);
}

/** An event that a visitor may cause on a page. */
interface DemoEvent {
  readonly name: string;
  readonly props: Readonly<Record<string, PropertyValue>>;
}

const PLANS: Weighted<DemoEvent['props']> = [
  [6, { plan: 'free', amount: 0 }],
  [3, { plan: 'team', amount: 29 }],
  [1, { plan: 'company', amount: 119 }],
];

export function makeEvent(random: Random, path: string): DemoEvent | undefined {
  const chance = random.fraction();
  if (path === '/pricing' && chance < 0.12) {
    return { name: 'Signup', props: random.pick(PLANS) };
  }
  if (path === '/download' && chance < 0.6) {
    return {
      name: 'Download',
      props: {
        url: `demo.example/files/demo-2.4.${random.pick([
          [5, 'zip'],
          [3, 'dmg'],
          [2, 'deb'],
        ])}`,
      },
    };
  }
  if (chance < 0.04)
    return {
      name: 'Outbound link',
      props: {
        url: random.pick([
          [3, 'github.com/demo'],
          [1, 'status.example.org'],
        ]),
      },
    };
  return undefined;
}
