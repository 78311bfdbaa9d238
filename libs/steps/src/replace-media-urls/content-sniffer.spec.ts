import { describe, expect, it } from '@jest/globals';
import type { Modality } from '#protocol';
import { acceptedType, sniff } from './content-sniffer.ts';
import { DEFAULT_MEDIA_TYPES } from './media-types.ts';

function bytes(latin1: string, length = 0): Buffer {
  return Buffer.concat([Buffer.from(latin1, 'latin1'), Buffer.alloc(Math.max(0, length - latin1.length), 'a')]);
}

const ogg = (packet: string): Buffer => bytes(`OggS${'\0'.repeat(22)}\x01\x1e${packet}`, 60);
const ebml = (docType: string): Buffer =>
  bytes(`\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82${String.fromCharCode(0x80 + docType.length)}${docType}`, 60);
const ftyp = (brand: string): Buffer => bytes(`\0\0\0\x18ftyp${brand}\0\0\0\0`, 40);

/** MPEG-1 layer III, 128 kbit/s, 44.1 kHz: frames of 417 bytes. */
const mp3Frames = Buffer.concat([bytes('\xff\xfb\x90\x64', 417), bytes('\xff\xfb\x90\x64', 417)]);
const transportStream = Buffer.concat([bytes('\x47', 188), bytes('\x47', 188), bytes('\x47', 188)]);

const KNOWN: [name: string, content: Buffer, modality: Modality, expected: string][] = [
  ['PNG', bytes('\x89PNG\r\n\x1a\n'), 'image', 'image/png'],
  ['JPEG', bytes('\xff\xd8\xff\xe0\0\x10JFIF'), 'image', 'image/jpeg'],
  ['GIF 87', bytes('GIF87a'), 'image', 'image/gif'],
  ['GIF 89', bytes('GIF89a'), 'image', 'image/gif'],
  ['WebP', bytes('RIFF\x22\0\0\0WEBPVP8 '), 'image', 'image/webp'],
  ['BMP', bytes('BM\x46\0\0\0\0\0\0\0\x36'), 'image', 'image/bmp'],
  ['TIFF', bytes('II*\0'), 'image', 'image/tiff'],
  ['AVIF', ftyp('avif'), 'image', 'image/avif'],
  ['HEIC', ftyp('heic'), 'image', 'image/heic'],
  ['WAV', bytes('RIFF\x28\0\0\0WAVEfmt '), 'audio', 'audio/wav'],
  ['WAV beyond 4 GiB', bytes('RF64\xff\xff\xff\xffWAVEds64'), 'audio', 'audio/wav'],
  ['MP3 with a tag', bytes('ID3\x03\0\0'), 'audio', 'audio/mpeg'],
  ['MP3 from its first frame', mp3Frames, 'audio', 'audio/mpeg'],
  ['MP3 of half a frame', mp3Frames.subarray(0, 100), 'audio', 'audio/mpeg'],
  ['AAC', bytes('\xff\xf1\x50\x80'), 'audio', 'audio/aac'],
  ['FLAC', bytes('fLaC\0'), 'audio', 'audio/flac'],
  ['Ogg with Opus', ogg('OpusHead'), 'audio', 'audio/ogg'],
  ['Ogg with Vorbis', ogg('\x01vorbis'), 'audio', 'audio/ogg'],
  ['Ogg with Vorbis in a video part', ogg('\x01vorbis'), 'video', 'audio/ogg'],
  ['Ogg with Theora', ogg('\x80theora'), 'video', 'video/ogg'],
  ['Ogg with Theora in an audio part', ogg('\x80theora'), 'audio', 'video/ogg'],
  ['Ogg with a skeleton in a video part', ogg('fishead\0'), 'video', 'video/ogg'],
  ['Ogg with a skeleton in an audio part', ogg('fishead\0'), 'audio', 'audio/ogg'],
  ['WebM in a video part', ebml('webm'), 'video', 'video/webm'],
  ['WebM in an audio part', ebml('webm'), 'audio', 'audio/webm'],
  ['WebM in an image part', ebml('webm'), 'image', 'video/webm'],
  ['Matroska', ebml('matroska'), 'video', 'video/x-matroska'],
  ['MP4 isom', ftyp('isom'), 'video', 'video/mp4'],
  ['MP4 mp42', ftyp('mp42'), 'video', 'video/mp4'],
  ['MP4 in an image part', ftyp('isom'), 'image', 'video/mp4'],
  ['MP4 in an audio part', ftyp('mp42'), 'audio', 'audio/mp4'],
  ['M4A in a video part', ftyp('M4A '), 'video', 'audio/mp4'],
  ['QuickTime', ftyp('qt  '), 'video', 'video/quicktime'],
  ['3GPP', ftyp('3gp4'), 'video', 'video/3gpp'],
  ['MPEG program stream', bytes('\0\0\x01\xba'), 'video', 'video/mpeg'],
  ['MPEG video', bytes('\0\0\x01\xb3'), 'video', 'video/mpeg'],
  ['MPEG transport stream', transportStream, 'video', 'video/mpeg'],
  ['AVI', bytes('RIFF\0\0\0\0AVI LIST'), 'video', 'video/x-msvideo'],
  ['HTML', bytes('<!DOCTYPE html><html></html>'), 'image', 'text/html'],
  ['HTML behind a byte order mark and spaces', bytes('\xef\xbb\xbf \r\n<html>'), 'image', 'text/html'],
  ['a fragment of HTML', bytes('<h1>404</h1>'), 'image', 'text/html'],
  ['XML', bytes('<?xml version="1.0"?><Error/>'), 'image', 'text/xml'],
  ['SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image', 'image/svg+xml'],
  ['PDF', bytes('%PDF-1.7'), 'image', 'application/pdf'],
  ['ZIP', bytes('PK\x03\x04'), 'image', 'application/zip'],
  ['gzip', bytes('\x1f\x8b\x08'), 'image', 'application/gzip'],
];

const UNKNOWN: [name: string, content: Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['zeros', Buffer.alloc(600)],
  ['letters', bytes('a', 600)],
  ['text that starts with a sign', bytes('< 5 and > 3')],
  ['a PNG signature that is cut', bytes('\x89PNG\r\n')],
  ['RIFF of an unknown form', bytes('RIFF\0\0\0\0XXXX')],
  ['a box that is no ftyp', bytes('\0\0\0\x08moov')],
  ['UTF-16 text', bytes('\xff\xfea\0b\0c\0')],
  ['a sync word without a second frame', bytes('\xff\xfb\x90\x64', 600)],
  ['a sync word with a reserved rate', bytes('\xff\xfb\x9c\x64')],
  ['a sync word in free format', bytes('\xff\xfb\x00\x64')],
  ['one G', bytes('G', 600)],
];

describe('sniff', () => {
  it.each(KNOWN)('tells %s', (_, content, modality, expected) => {
    expect(sniff(content, modality)?.[0]).toBe(expected);
  });

  it.each(UNKNOWN)('does not tell %s', (_, content) => {
    expect(sniff(content, 'image')).toBeUndefined();
  });
});

describe('acceptedType', () => {
  const png = bytes('\x89PNG\r\n\x1a\n');
  const wav = bytes('RIFF\x28\0\0\0WAVEfmt ');
  const unknown = bytes('a', 100);

  it.each([
    ['the content, whatever the header', png, 'image/gif', 'image', 'image/png'],
    ['the content without a header', png, undefined, 'image', 'image/png'],
    ['the content of octets', wav, 'application/octet-stream', 'audio', 'audio/wav'],
    ['the content where the header has parameters', ftyp('isom'), 'video/mp4; codecs=avc1', 'video', 'video/mp4'],
    ['the header where the content does not tell', unknown, ' Image/JPEG ; q=1', 'image', 'image/jpeg'],
  ] as const)('goes by %s', (_, content, header, modality, expected) => {
    expect(acceptedType(content, header, modality, DEFAULT_MEDIA_TYPES[modality])).toBe(expected);
  });

  it.each([
    ['sound under an image header', wav, 'image/png', 'image'],
    ['a picture under a sound header', png, 'audio/wav', 'audio'],
    ['a page under an image header', bytes('<!doctype html>'), 'image/png', 'image'],
    ['a packed picture', bytes('\x1f\x8b\x08'), 'image/png', 'image'],
    ['a kind of image that is not on the list', ftyp('avif'), 'image/png', 'image'],
    ['a video as sound', ftyp('isom'), 'audio/mpeg', 'audio'],
    ['a header that is not on the list', unknown, 'text/plain', 'image'],
    ['octets that do not tell', unknown, 'application/octet-stream', 'image'],
    ['no header and nothing told', unknown, undefined, 'image'],
    ['a header that is no type', unknown, 'png', 'image'],
  ] as const)('refuses %s', (_, content, header, modality) => {
    expect(acceptedType(content, header, modality, DEFAULT_MEDIA_TYPES[modality])).toBeUndefined();
  });

  it.each([
    ['image/jpg', bytes('\xff\xd8\xff\xe0'), 'image'],
    ['audio/x-wav', wav, 'audio'],
    ['audio/mp3', bytes('ID3\x03'), 'audio'],
    ['audio/opus', ogg('OpusHead'), 'audio'],
    ['video/mp2t', transportStream, 'video'],
    ['image/svg+xml', bytes('<?xml version="1.0"?><svg/>'), 'image'],
    ['image/avif', ftyp('avif'), 'image'],
    ['application/x-raw', unknown, 'image'],
    ['application/octet-stream', unknown, 'image'],
  ] as const)('uses the name that the list has: %s', (type, content, modality) => {
    expect(acceptedType(content, type, modality, new Set([type]))).toBe(type);
  });

  it('accepts everything with an empty list, under its own name', () => {
    expect(acceptedType(wav, 'image/png', 'image', new Set())).toBe('audio/wav');
    expect(acceptedType(unknown, 'x-any/thing', 'image', new Set())).toBe('x-any/thing');
    expect(acceptedType(unknown, undefined, 'image', new Set())).toBe('application/octet-stream');
  });

  it.each(['image/"x', 'image/x\\', 'image/x,y z', 'image/\u0001', `image/${'x'.repeat(300)}`])(
    'never lets the header %j into a body',
    (header) => {
      expect(acceptedType(unknown, header, 'image', new Set())).toMatch(/^(?:application\/octet-stream|image\/x)$/);
    },
  );
});
