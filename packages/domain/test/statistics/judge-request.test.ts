import { describe, expect, test } from 'vitest';
import { hitOf, judgeRequest } from '../../src/imports/logs/judge-request.ts';
import type { LogRequest } from '../../src/imports/logs/log-request.ts';

// imports.md, "Access logs".

const aRequest = (request: Partial<LogRequest>): LogRequest => ({
  time: new Date('2026-11-20T12:00:00Z'),
  method: 'GET',
  target: '/a',
  status: 200,
  ...request,
});
const judge = (request: Partial<LogRequest>) => judgeRequest(aRequest(request));
const hit = (request: Partial<LogRequest>) => hitOf(aRequest(request), 'https://example.com/blog');

describe('a request counts as a pageview', () => {
  test.each([200, 203, 206, 304])('if its status is %i', (status) => {
    expect(judge({ status })).toBeUndefined();
  });

  test.each([
    '/',
    '/a',
    '/a/',
    '/v1.2',
    '/a.html',
    '/A.HTM',
    '/a.php?x=1.png',
    '/a.jsp;jsessionid=1',
    '/a.cgi#b',
    '/a.',
    '/St._Petersburg',
    '/whats-new-in-2.0-beta',
    '/usb-3.0-cable',
    '/a.xyz',
    `/a${';'.repeat(10)}\u2028.png`,
  ])('if its path is that of a page: %s', (target) => {
    expect(judge({ target })).toBeUndefined();
  });

  test('if the answer is a page, whatever its path', () => {
    expect(judge({ target: '/a.xyz', contentType: 'text/html; charset=utf-8' })).toBeUndefined();
    expect(judge({ target: '/a.xyz', contentType: 'Application/XHTML+XML' })).toBeUndefined();
  });

  test('with everything that the line says of it', () => {
    const line = { ip: '192.0.2.1', userAgent: 'x', referrer: 'https://other.example/', language: 'de' };

    expect(hit({ ...line, target: '/a?b=1', host: 'shop.example.com' })).toEqual({
      ...line,
      url: new URL('https://shop.example.com/a?b=1'),
      referrer: new URL(line.referrer),
      time: new Date('2026-11-20T12:00:00Z'),
      sender: 'server',
    });
    expect(hit({ target: '/a' }).url.href).toBe('https://example.com/a');
    expect(hit({ target: 'http://example.com/a' }).url.href).toBe('http://example.com/a');
  });
});

describe('a request does not count', () => {
  test.each(['POST', 'HEAD', 'OPTIONS', 'get', ''])('if its method is not GET: %s', (method) => {
    expect(judge({ method })).toMatchObject({ reason: 'method', isOfCrawlers: false });
  });

  test.each([0, 204, 301, 302, 307, 500, 503])('if its status is %i', (status) => {
    expect(judge({ status })).toMatchObject({ reason: 'status', isOfCrawlers: false });
  });

  test.each([
    '/a.png',
    '/style.css',
    '/app.js?v=2',
    '/robots.txt',
    '/feed.xml',
    '/a.b.pdf',
    '/.env',
    '/A.PNG',
    '/a.png;v=1',
    '/proxy.pac',
    'https://example.com/a.js',
  ])('if its path is that of a file: %s', (target) => {
    expect(judge({ target })).toMatchObject({ reason: 'static_file', isOfCrawlers: false });
  });

  test('if the answer is not a page, whatever its path', () => {
    expect(judge({ contentType: 'application/json' })?.reason).toBe('static_file');
    expect(judge({ target: '/a.html', contentType: 'image/png' })?.reason).toBe('static_file');
  });

  test('if the file is still fresh, whose answer has no type of its own', () => {
    expect(judge({ status: 304, target: '/a.png', contentType: 'text/html' })?.reason).toBe('static_file');
  });
});

test.each([400, 404, 410, 429, 499])('a page with status %i counts for crawlers only', (status) => {
  expect(judge({ status, contentType: 'text/html' })).toMatchObject({
    reason: 'status',
    isOfCrawlers: true,
  });
  expect(judge({ status, target: '/a.png', contentType: 'text/html' })).toMatchObject({
    reason: 'static_file',
    isOfCrawlers: false,
  });
});

test('an address that cannot be read is of no website', () => {
  expect(hit({ target: 'http://' }).url.hostname).toBe('.');
});
