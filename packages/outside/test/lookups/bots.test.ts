import { readFileSync } from 'node:fs';
import crawlers from 'crawler-user-agents';
import topUserAgents from 'top-user-agents';
import { describe, expect, test } from 'vitest';
import { isBot } from '../../src/lookups/bots.ts';
import { AGENTS } from './agents.ts';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** The browsers of isbot's own tests, without apps that are HTTP clients (see NOTICE). */
const BROWSERS = readFileSync(new URL('browsers.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

describe('a bot', () => {
  test.each([
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
    CHROME.replace('Chrome', 'HeadlessChrome'),
    'curl/8.14.1',
    'python-requests/2.32.3',
  ])('calls itself one: %s', (agent) => {
    expect(isBot(agent)).toBe(true);
  });

  test.each([
    'kube-probe/1.31+',
    'kube-probe/1.29',
    'docker/24.0.7 go/go1.20.10 git-commit/311b9ff kernel/6.1.0 os/linux arch/amd64 UpstreamClient(Docker-Client/24.0.7)',
    'ELB-HealthChecker/2.0',
    'GoogleHC/1.0',
    'Consul Health Check',
    'Envoy/HC',
    'Prometheus/2.45.0',
    'Elastic-Heartbeat/8.11.0 (linux; amd64; 9e4b3b4; 2026-10-01 00:00:00 +0000 UTC)',
    'Uptime-Kuma/2.0.0-beta',
    'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)',
    'check_http/v2.4.0 (monitoring-plugins 2.4.0)',
    `${CHROME} GTmetrix`,
    `${CHROME} Checkly`,
    `${CHROME} ThousandEyes`,
    `${CHROME} Dynatrace`,
  ])('is a probe of an orchestrator or monitor: %s', (agent) => {
    expect(isBot(agent)).toBe(true);
  });

  test.each([
    'okhttp/4.12.0',
    'Dalvik/2.1.0 (Linux; U; Android 13; SM-G991B Build/TP1A.220624.014)',
    'Ünïcode/1.0 Dalvik/2.1.0 (Linux; U; Android 13; SM-G991B Build/TP1A.220624.014)',
    'com.example.app/1.0 (Linux; U; Android 13; en_US; Pixel 7; Build/TQ3A; Cronet/119.0.6045.31)',
    'Dart/3.2 (dart:io)',
    'MyApp/1.0 CFNetwork/1410.0.3 Darwin/22.6.0',
    'MobileSafari/604.1 CFNetwork/1410.0.3 Darwin/22.6.0',
    'com.apple.WebKit.Networking/8615.7.1.10.1 CFNetwork/1410.1 Darwin/22.6.0',
    'MyApp/2.1 (iPhone; iOS 17.1.2; Scale/3.00)',
    'MyApp/1.0 (com.example.app; build:1; iOS 17.0.0) Alamofire/5.8.1',
    'AppleCoreMedia/1.0.0.21G93 (Macintosh; U; Intel Mac OS X 14_6; en_us)',
    'Xumo/2.6.19 (Linux;Android 7.1.1) ExoPlayerLib/2.9.0',
    'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.1682',
    'Mozilla/5.0 (Linux; Ubuntu 24.04; en-US) PowerShell/7.4.0',
    'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.14326; Pro)',
    'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
    'Mozilla/4.0 (compatible; Win32; WinHttp.WinHttpRequest.5)',
  ])('is an HTTP client of a system: %s', (agent) => {
    expect(isBot(agent)).toBe(true);
  });

  test('is on the list of crawlers that others collect, but for a few that are apps with a browser in them', () => {
    const instances = crawlers.flatMap(({ instances: agents }) => agents);

    const missed = instances.filter((agent) => !isBot(agent));

    expect(instances.length).toBeGreaterThan(2_000);
    expect(missed.length).toBeLessThan(0.005 * instances.length);
  });
});

describe('no bot', () => {
  test('is a browser of the tests', () => {
    expect(AGENTS.filter(([agent, browser]) => browser !== null && isBot(agent))).toEqual([]);
  });

  test.each(['Dillo/3.1.1', 'Dillo/0.8.6'])('is the browser %s', (agent) => {
    expect(isBot(agent)).toBe(false);
  });

  test('is one of the browsers in use', () => {
    expect(topUserAgents.filter(isBot)).toEqual([]);
  });

  test('is one of many old and rare browsers', () => {
    expect(BROWSERS.length).toBeGreaterThan(400);
    expect(BROWSERS.filter(isBot)).toEqual([]);
  });
});

test('a very long user agent is judged within a millisecond', () => {
  const started = process.cpuUsage();

  for (const part of ['x', 'mozilla ', 'a.b/', 'cfnetwork', '(;']) isBot(part.repeat(16_384 / part.length));

  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(200);
});
