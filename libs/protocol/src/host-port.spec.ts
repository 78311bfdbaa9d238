import { describe, expect, it } from '@jest/globals';
import { bracketed, hostPort, hostPortText, isSameEndpoint } from './host-port.ts';

describe('hostPort', () => {
  it.each([
    ['10.0.0.5:8000', '10.0.0.5', 8000],
    [' 10.0.0.5:8000 ', '10.0.0.5', 8000],
    ['prefill-0.pool.svc:1', 'prefill-0.pool.svc', 1],
    ['host_with_underscore:65535', 'host_with_underscore', 65_535],
    ['[::1]:8003', '::1', 8003],
    ['[FD00::A]:80', 'FD00::A', 80],
    ['[::ffff:10.0.0.5]:80', '::ffff:10.0.0.5', 80],
    ['http://10.0.0.5:8000', '10.0.0.5', 8000],
    ['https://10.0.0.5:8000', '10.0.0.5', 8000],
    ['HTTP://[::1]:8003/', '::1', 8003],
  ])('reads %j', (text, host, port) => {
    expect(hostPort(text)).toEqual({ host, port });
  });

  it.each([
    '',
    ':',
    ':8000',
    'not-a-host-port',
    '10.0.0.5',
    '10.0.0.5:',
    '10.0.0.5:0',
    '10.0.0.5:65536',
    '10.0.0.5:http',
    '10.0.0.5:-1',
    '10.0.0.5:8e3',
    '10.0.0.5:8000/x',
    '10.0.0.5:8000?a',
    '10.0.0.5:8000#a',
    'a:1,b:2',
    'user@10.0.0.5:8000',
    'user:pass@10.0.0.5:8000',
    'ftp://10.0.0.5:8000',
    '//10.0.0.5:8000',
    '::1:8000',
    '[::1]',
    '[::1:8000',
    '[]:8000',
    '[fe80::1%eth0]:8000',
    '[1:2:3:4:5:6:7:8:9]:8000',
    '300.1.1.1:8000',
    '10.0.0.5 evil:8000',
    '10.0.0.5\r\nx-a: 1:8000',
    'a<b:8000',
    'a%20b:8000',
    'ä:8000',
  ])('takes %j for no target', (text) => {
    expect(hostPort(text)).toBeUndefined();
  });

  it('gives nothing that cannot be called', () => {
    for (const text of ['1.2.3.4.5:80', '0x:80', '0xffffffffff:80', '-:80', '..:80', 'a..b:80']) {
      const target = hostPort(text);
      expect(target === undefined || URL.canParse(`http://${hostPortText(target)}`)).toBe(true);
    }
  });
});

describe('hostPortText', () => {
  it.each([
    [{ host: '10.0.0.5', port: 8000 }, '10.0.0.5:8000'],
    [{ host: '::1', port: 8003 }, '[::1]:8003'],
  ])('writes %j as %s', (target, text) => {
    expect(hostPortText(target)).toBe(text);
    expect(hostPort(text)).toEqual(target);
  });
});

describe('bracketed', () => {
  it.each([
    ['10.0.0.5', '10.0.0.5'],
    ['::1', '[::1]'],
  ])('writes %s as %s', (host, text) => {
    expect(bracketed(host)).toBe(text);
  });
});

describe('isSameEndpoint', () => {
  it.each([
    ['10.0.0.5:8003', '10.0.0.5:8003', true],
    ['http://10.0.0.5:8003', '10.0.0.5:8003', true],
    ['https://10.0.0.5:8003', 'http://10.0.0.5:8003', true],
    ['[FD00::A]:80', '[fd00::a]:80', true],
    ['Pod-0:80', 'pod-0:80', true],
    ['10.0.0.5:8003', '10.0.0.5:8007', false],
    ['10.0.0.5:8003', '10.0.0.6:8003', false],
  ])('of %s and %s is %s', (one, other, same) => {
    const [first, second] = [hostPort(one), hostPort(other)];
    if (first === undefined || second === undefined) throw new Error('both are targets');
    expect(isSameEndpoint(first, second)).toBe(same);
  });
});
