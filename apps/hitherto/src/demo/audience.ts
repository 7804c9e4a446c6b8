import type { Random } from './random.ts';

type Weighted<T> = readonly (readonly [weight: number, value: T])[];

/** Networks of access providers, as the first two numbers of their addresses, with the language that is spoken there. */
const NETWORKS: Weighted<{ readonly network: string; readonly language: string }> = [
  [28, { network: '73.44', language: 'en-US,en;q=0.9' }],
  [17, { network: '84.140', language: 'de-DE,de;q=0.9,en;q=0.5' }],
  [10, { network: '86.140', language: 'en-GB,en;q=0.9' }],
  [7, { network: '90.20', language: 'fr-FR,fr;q=0.9' }],
  [6, { network: '84.85', language: 'nl-NL,nl;q=0.9,en;q=0.6' }],
  [5, { network: '70.48', language: 'en-CA,en;q=0.9,fr;q=0.4' }],
  [5, { network: '117.200', language: 'en-IN,en;q=0.9,hi;q=0.7' }],
  [4, { network: '85.4', language: 'de-CH,de;q=0.9' }],
  [4, { network: '80.108', language: 'de-AT,de;q=0.9' }],
  [4, { network: '177.32', language: 'pt-BR,pt;q=0.9' }],
  [3, { network: '79.10', language: 'it-IT,it;q=0.9' }],
  [3, { network: '83.32', language: 'es-ES,es;q=0.9' }],
  [3, { network: '83.10', language: 'pl-PL,pl;q=0.9' }],
  [2, { network: '126.20', language: 'ja-JP,ja;q=0.9' }],
  [2, { network: '1.120', language: 'en-AU,en;q=0.9' }],
];

const USER_AGENTS: Weighted<string> = [
  [
    34,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  ],
  [
    12,
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  ],
  [
    9,
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
  ],
  [8, 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'],
  [6, 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0'],
  [
    5,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
  ],
];

const PHONE_AGENTS: Weighted<string> = [
  [
    22,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
  ],
  [
    18,
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  ],
  [
    5,
    'Mozilla/5.0 (Linux; Android 15; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
  ],
  [
    3,
    'Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1',
  ],
];

const BOT_AGENT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

/** The connection and the headers of a made-up visitor. Nothing of it is stored. */
export interface DemoDevice {
  readonly ip: string;
  readonly userAgent: string;
  readonly language: string;
}

/** A device of a visitor; at weekends more of them are phones. */
export function makeDevice(random: Random, isWeekend: boolean): DemoDevice {
  const { network, language } = random.pick(NETWORKS);
  const isPhone = random.fraction() < (isWeekend ? 0.55 : 0.36);
  return {
    ip: `${network}.${random.between(0, 255)}.${random.between(1, 254)}`,
    userAgent: random.pick(isPhone ? PHONE_AGENTS : USER_AGENTS),
    language,
  };
}

/** A bot, which is dropped. */
export function makeBot(random: Random): DemoDevice {
  return { ip: `66.249.66.${random.between(1, 254)}`, userAgent: BOT_AGENT, language: 'en' };
}
