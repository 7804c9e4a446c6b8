import { numbersIn } from './numbers.ts';
import type { Make, Sentence } from './sentence.ts';

/** English: the other languages follow it. Its shape is theirs. */
const { counted, plural } = numbersIn('en');

export const en = {
  /** How numbers and periods are written. */
  formats: {
    percent: (number: string) => `${number}\u00a0%`,
    hours: 'h',
    minutes: 'm',
    seconds: 's',
    period: (from: string, to: string) => `${from} to ${to}`,
  },

  /** The dimensions by the names of the API: as the head of a column, as the head of a list, and a visit without a value. */
  dimensions: {
    page: { one: 'Page', many: 'Pages', none: 'No page' },
    entry_page: { one: 'Entry page', many: 'Entry pages', none: 'No page' },
    exit_page: { one: 'Exit page', many: 'Exit pages', none: 'No page' },
    channel: { one: 'Channel', many: 'Channels', none: 'No channel' },
    source: { one: 'Source', many: 'Sources', none: 'Direct or unknown' },
    referrer: { one: 'Referrer', many: 'Referrers', none: 'Direct or unknown' },
    utm_source: { one: 'Campaign source', many: 'Campaign sources', none: 'No campaign source' },
    utm_medium: { one: 'Campaign medium', many: 'Campaign media', none: 'No campaign medium' },
    utm_campaign: { one: 'Campaign', many: 'Campaigns', none: 'No campaign' },
    utm_content: { one: 'Campaign content', many: 'Campaign contents', none: 'No campaign content' },
    utm_term: { one: 'Campaign term', many: 'Campaign terms', none: 'No campaign term' },
    country: { one: 'Country', many: 'Countries', none: 'Unknown' },
    language: { one: 'Language', many: 'Languages', none: 'Unknown' },
    browser: { one: 'Browser', many: 'Browsers', none: 'Unknown' },
    os: { one: 'System', many: 'Systems', none: 'Unknown' },
    device: { one: 'Device', many: 'Devices', none: 'Unknown' },
    event: { one: 'Event', many: 'Events', none: 'No event' },
    host: { one: 'Host', many: 'Hosts', none: 'Unknown' },
  },
  /** The labels of lists among others on a card, where they are shorter. */
  tabs: { entry_page: 'Entry', exit_page: 'Exit' },
  /** Values of dimensions that have names; others are shown unchanged. */
  values: {
    others: 'All others',
    channel: {
      Paid: 'Paid',
      Email: 'Email',
      Social: 'Social',
      Search: 'Search',
      Video: 'Video',
      Affiliates: 'Affiliates',
      Referral: 'Referral',
      'AI assistants': 'AI assistants',
      Campaign: 'Campaign',
      Direct: 'Direct',
    },
    device: { desktop: 'Desktop', mobile: 'Mobile', tablet: 'Tablet', tv: 'TV', other: 'Other' },
  },

  /** Filters as sentences. */
  filters: {
    is: 'is',
    isNot: 'is not',
    contains: 'contains',
    containsNot: 'does not contain',
    isLike: 'is like',
    isNotLike: 'is not like',
    goal: 'Goal',
    deletedGoal: 'a deleted goal',
    property: (name: string) => `Property ${name}`,
    propertyOfEvent: 'Property of an event',
    empty: 'empty',
    or: 'or',
  },

  /** The five numbers and how they change. */
  figures: {
    visitors: 'Visitors',
    visits: 'Visits',
    pageviews: 'Pageviews',
    bounce_rate: 'Bounce rate',
    visit_duration: 'Visit duration',
    asBefore: 'as before',
    more: (size: string) => `${size} more`,
    less: (size: string) => `${size} less`,
    points: (count: number) => plural(count, { one: 'point', other: 'points' }),
    compared: (period: string) => `Compared with ${period}.`,
    /** A time of day ends the last day. */
    comparedUntil: (period: string, time: string, isOneDay: boolean) =>
      isOneDay ? `Compared with ${period}, until ${time}.` : `Compared with ${period} at ${time}.`,
    notCompared: (day: string) => `Not compared: the hours of ${day} are not known.`,
  },

  /** The statistics page. */
  statistics: {
    title: (website: string) => `${website} · Statistics`,
    numbers: 'Numbers',
    numbersOfChart: 'Numbers; the chosen one is charted',
    owner: 'Owner',
    allWebsites: 'All websites',
    settings: 'Settings',
    within: <Part>(segment: Part): Sentence<Part> => ['Only visits of the segment ', segment],
    currentTitle: 'Visitors of the last 5 minutes',
    nobodyNow: 'nobody right now',
    visitorsNow: <Part>(count: number, strong: (count: number) => Part): Sentence<Part> => [
      strong(count),
      ` ${plural(count, { one: 'visitor', other: 'visitors' })} now`,
    ],
    whyItChanged: 'Why it changed',
    noVisits: 'No visits yet.',
    atMost: '≤ means at most.',
    defineGoal: 'Define a goal: a page or an event that counts',
    defineFunnel: 'Define a funnel: the steps towards a goal',
    waiting: 'Waiting for the first visit',
    waitingSnippet: <Part>(head: Part, website: Part): Sentence<Part> => [
      'Put this line into the ',
      head,
      ' of every page of ',
      website,
      ':',
    ],
    waitingOpen: 'Open one of these pages in a browser.',
    waitingShows: 'This page shows the visit within seconds.',
    waitingReload: 'Load it again then.',
    period: 'Period',
    periods: {
      today: 'Today',
      yesterday: 'Yesterday',
      '7d': '7 days',
      '28d': '28 days',
      month: 'Month',
      '12m': '12 months',
    },
    otherDays: 'Other days',
    from: 'From',
    to: 'To',
    show: 'Show',
    lastBeforeFirst: 'The last day is before the first.',
    footer: (timeZone: string, excludesBots: boolean) =>
      `A visitor is one device on one day, so someone who comes on two days counts twice. A visit ends after 30 minutes without a hit. A bounce is a visit with one pageview and no event. Days begin at midnight in ${timeZone}. Known bots are ${excludesBots ? 'not counted' : 'counted too'}. Counting sets no cookies and stores no IP addresses of visitors.`,
    countedSince: (day: string) => `Counted since ${day}.`,
  },

  /** Mails and chats about alerts. */
  alerts: {},
  /** Weekly and monthly reports. */
  reports: {},
  /** Mails to people. */
  mails: {},
  /** The owner's pages: the list of websites, and the frame of all. */
  owner: {
    main: 'Main',
    websites: 'Websites',
    webhooks: 'Webhooks',
    people: 'People',
    signOut: 'Sign out',
    readOnly: 'You are signed in with a read-only key, so you cannot change anything.',
    headline: <Part>(visitors: number, websites: number, strong: Make<Part>): Sentence<Part> => [
      strong(counted(visitors, { one: 'visitor', other: 'visitors' })),
      ` on ${counted(websites, { one: 'website', other: 'websites' })} in 28 days`,
    ],
    headlineChange: <Part>(change: Part): Sentence<Part> => [', ', change, ' than before.'],
    needLook: <Part>(count: number, strong: Make<Part>): Sentence<Part> => [
      strong(String(count)),
      plural(count, { one: ' needs a look.', other: ' need a look.' }),
    ],
    websiteCount: (count: number, isExact: boolean, formatted: string) =>
      `${isExact ? '' : 'more than '}${formatted} ${plural(count, { one: 'website', other: 'websites' })}`,
    addYourself: <Part>(link: Make<Part>): Sentence<Part> => [
      'You are signed in with a key. ',
      link('Add yourself'),
      ', to sign in with an address and a password, and to invite others.',
    ],
    search: 'Search',
    searchWebsites: 'Search websites',
    labels: 'Labels',
    all: 'All',
    accounts: 'Accounts',
    addWebsite: 'Add a website',
    website: 'Website',
    now: 'Now',
    days28: '28 days',
    change: '±',
    goalsAndFindings: 'Goals and findings',
    settings: 'Settings',
    settingsOf: (website: string) => `Settings of ${website}`,
    group: 'Group',
    withoutLabel: 'Without a label',
    noVisitFor: (hours: number) => `No visit for ${counted(hours, { one: 'hour', other: 'hours' })}`,
    pages: 'Pages of the list',
    previous: 'Previous',
    next: 'Next',
    noneFound: (search: string) => `No website has “${search}” in its address.`,
    showAll: 'Show all',
    noWebsites: 'No websites yet',
    addFirst: 'Add your first website, and put the line that you get into its pages. Visits are counted from then on.',
    readOnlyKey: 'Your key is read-only. To add a website, sign in with a key of scope write.',
    ownerAdds: 'An owner of the account can add one, or let you see one.',
    otherWebsites: 'Other websites',
    allWebsites: 'All websites',
  },
  /** The settings of a website. */
  settings: {},
  /** Goals, funnels, segments, links, annotations, alerts, webhooks. */
  resources: {},
  imports: {},
  changes: {},
  /** People, `/you`, invitations. */
  people: {
    mailFailed: (detail: string) => `The mail was not sent: ${detail}`,
    linkInstead: 'Link to hand over',
    linkInsteadFor: (email: string) => `Make a link to hand over to ${email}`,
  },
  signIn: {},

  /** Buttons that copy a text. */
  copy: {
    copy: 'Copy',
    copied: 'Copied',
    notCopied: 'Not copied: select the text',
  },

  /** The frame of the pages of a website. */
  website: {
    statistics: 'Statistics',
    groups: { numbers: 'Numbers', sharing: 'Sharing', collecting: 'Collecting', website: 'Website' },
    pages: {
      settings: 'Settings',
      goals: 'Goals',
      funnels: 'Funnels',
      segments: 'Segments',
      links: 'Links',
      annotations: 'Annotations',
      alerts: 'Alerts',
      snippet: 'Install',
      dropped: 'Not counted',
      check: 'Check a visit',
      imports: 'Imports',
      changes: 'Changes',
      move: 'Move',
      delete: 'Delete',
    },
  },

  /** Pages that say one thing. */
  errors: {
    notFound: 'Not found',
    notFoundText: 'There is no page at this address, or it is private.',
    signInIfYours: <Part>(link: Make<Part>): Sentence<Part> => ['If it is yours, ', link('sign in'), '.'],
    request: (id: string) => `Request ${id}`,
    rightsChanged: 'Your rights have changed meanwhile',
    loadAgain: 'Load the page again.',
  },
};

/** The words of a language: a missing or an extra one does not compile. */
export type Words = typeof en;
