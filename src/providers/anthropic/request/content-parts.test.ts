import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ignoredOf, messagesOf, mistakeOf, refusalOf } from '../../../../test/fixtures/anthropic/translate.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'

const withPart = (part: JsonObject) => ({ messages: [{ role: 'user', content: [part] }] })
const image = (url: string, detail?: string) => ({ type: 'image_url', image_url: { url, detail: detail ?? null } })
const file = (fields: JsonObject) => ({ type: 'file', file: fields })

function blockOf(part: JsonObject): unknown {
  const [message] = messagesOf(...withPart(part).messages) as [{ content: unknown[] }]
  return message.content[0]
}

const base64Image = (mediaType: string, data: string) => ({
  type: 'image',
  source: { type: 'base64', media_type: mediaType, data },
})
const pdf = (data: string) => ({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } })
const plainText = (data: string) => ({ type: 'document', source: { type: 'text', media_type: 'text/plain', data } })

const PNG = 'iVBORw0KGgo='
const WEBP = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1').toString('base64')
const PDF = Buffer.from('%PDF-1.7').toString('base64')

describe('parts become blocks', () => {
  const cases: [string, JsonObject, unknown][] = [
    [
      'an https URL is passed on, not fetched',
      image('https://a.b/c.png'),
      { type: 'image', source: { type: 'url', url: 'https://a.b/c.png' } },
    ],
    [
      'the scheme may be in capitals',
      image('HTTPS://a.b/c.png'),
      { type: 'image', source: { type: 'url', url: 'HTTPS://a.b/c.png' } },
    ],
    [
      'image_url may be a bare string',
      { type: 'image_url', image_url: 'https://a.b/c.png' },
      { type: 'image', source: { type: 'url', url: 'https://a.b/c.png' } },
    ],
    ['a data URL becomes base64', image(`data:image/png;base64,${PNG}`), base64Image('image/png', PNG)],
    [
      'data URLs are read in any case, parameters skipped',
      image(`DATA:IMAGE/PNG;name=x;BASE64,${PNG}`),
      base64Image('image/png', PNG),
    ],
    [
      'whitespace within base64 is removed',
      image('data:image/png;base64,iVBO\n Rw0K\tGgo='),
      base64Image('image/png', PNG),
    ],
    ['missing padding is added', image('data:image/png;base64,iVBORw0KGgo'), base64Image('image/png', PNG)],
    ['escaped base64 is unescaped', image('data:image/png;base64,iVBORw0KGgo%3D'), base64Image('image/png', PNG)],
    ['image/jpg is image/jpeg', image('data:image/jpg;base64,/9j/AA=='), base64Image('image/jpeg', '/9j/AA==')],
    [
      'bytes that prove JPEG win over the declared type',
      image('data:image/png;base64,/9j/AA=='),
      base64Image('image/jpeg', '/9j/AA=='),
    ],
    ['bytes that prove PNG win', image(`data:image/jpeg;base64,${PNG}`), base64Image('image/png', PNG)],
    ['bytes that prove GIF win', image('data:image/png;base64,R0lGODlh'), base64Image('image/gif', 'R0lGODlh')],
    ['bytes that prove WebP win', image(`data:image/png;base64,${WEBP}`), base64Image('image/webp', WEBP)],
    [
      'bytes that prove nothing leave the declared type',
      image('data:image/webp;base64,AAAA'),
      base64Image('image/webp', 'AAAA'),
    ],
    [
      'data without base64 is percent-encoded',
      image('data:image/png,%89PNG%0D%0A%1A%0A'),
      base64Image('image/png', PNG),
    ],
    ['a PDF within image_url becomes a document', image(`data:application/pdf;base64,${PDF}`), pdf(PDF)],
    [
      'a PDF file becomes a document with its name',
      file({ file_data: `data:application/pdf;base64,${PDF}`, filename: 'a.pdf' }),
      { ...pdf(PDF), title: 'a.pdf' },
    ],
    [
      'without a name there is no title',
      file({ file_data: `data:application/pdf;base64,${PDF}`, filename: null }),
      pdf(PDF),
    ],
    ['a PDF file may come without the data: prefix', file({ file_data: PDF }), pdf(PDF)],
    [
      'a plain text file is decoded',
      file({ file_data: `data:text/plain;charset=utf-8;base64,${Buffer.from('grüß').toString('base64')}` }),
      plainText('grüß'),
    ],
    [
      'a percent-encoded text file is decoded',
      file({ file_data: 'data:text/plain,gr%C3%BC%C3%9F' }),
      plainText('grüß'),
    ],
  ]
  for (const [title, part, expected] of cases) {
    test(title, () => assert.deepEqual(blockOf(part), expected))
  }
})

test('image detail is reported unless it is auto', () => {
  assert.deepEqual(ignoredOf(withPart(image('https://a.b/c.png', 'low'))), ['detail'])
  assert.deepEqual(ignoredOf(withPart(image('https://a.b/c.png', 'auto'))), [])
})

describe('parts that this family cannot express are refused by path', () => {
  const cases: [string, JsonObject, string][] = [
    ['an http URL', image('http://a.b/c.png'), 'image_url.url'],
    ['another scheme', image('file:///etc/passwd'), 'image_url.url'],
    ['an SVG', image('data:image/svg+xml;base64,AAAA'), 'image_url.url'],
    ['a BMP', image('data:image/bmp;base64,AAAA'), 'image_url.url'],
    ['data without a type', image('data:;base64,AAAA'), 'image_url.url'],
    ['audio', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, 'type'],
    ['the id of a file elsewhere', file({ file_id: 'file-1' }), 'file.file_id'],
    ['a file of another type', file({ file_data: 'data:text/csv;base64,AAAA' }), 'file.file_data'],
    ['bare base64 that is no PDF', file({ file_data: 'AAAA' }), 'file.file_data'],
    ['an unknown type', { type: 'hologram' }, 'type'],
    ['a type named like a built-in', { type: 'constructor' }, 'type'],
  ]
  for (const [title, part, path] of cases) {
    test(title, () => {
      const message = refusalOf(withPart(part))
      assert.ok(message.startsWith(`messages[0].content[0].${path}:`), message)
    })
  }
})

describe('unreadable parts are the caller’s mistake', () => {
  const cases: [string, JsonObject, string][] = [
    ['data without a comma', image('data:image/png;base64'), 'image_url.url'],
    ['data that is not base64', image('data:image/png;base64,a*b='), 'image_url.url'],
    ['base64 of an impossible length', image('data:image/png;base64,AAAAA'), 'image_url.url'],
    ['wrong padding', image('data:image/png;base64,AA='), 'image_url.url'],
    ['no data', image('data:image/png;base64,'), 'image_url.url'],
    ['characters that no URL holds', image('data:image/png,€'), 'image_url.url'],
    ['an image without url', { type: 'image_url', image_url: {} }, 'image_url.url'],
    ['an image without anything', { type: 'image_url' }, 'image_url'],
    ['a file without data', file({ filename: 'a.pdf' }), 'file.file_data'],
    ['a file without anything', { type: 'file' }, 'file'],
    ['a file of unreadable data', file({ file_data: '***' }), 'file.file_data'],
  ]
  for (const [title, part, path] of cases) {
    test(title, () => {
      const message = mistakeOf(withPart(part))
      assert.ok(message.startsWith(`messages[0].content[0].${path}:`), message)
    })
  }
})
