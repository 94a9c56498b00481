import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { GatewayError } from '../errors.ts'
import type { JsonObject } from '../request/call-request.ts'
import { boundaryOf, type Form, readForm } from './form.ts'
import { formValue, textPart, translatedForm } from './form-fields.ts'
import { formBytes, formHash, formType } from './write-form.ts'

const TYPE = 'multipart/form-data; boundary=b'
const SHAPE = { files: ['file'], lists: ['words'] }

const form = (...parts: string[]) =>
  Buffer.from(`${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`, 'latin1')
const text = (name: string, value: string) => `content-disposition: form-data; name="${name}"\r\n\r\n${value}`
const file = (value: string, named = 'filename="a.wav"', more = '') =>
  `Content-Disposition: form-data; name="file"; ${named}\r\n${more}\r\n${value}`

describe('a form', () => {
  test('is read in any order, with lists, objects, and unknown parts', () => {
    const body = form(
      file('RIFF\0\r\n--', 'filename="a.wav"', 'Content-Type: audio/wav\r\n'),
      ...[
        text('words[]', 'one'),
        text('words', 'two'),
        text('chunking[type]', 'vad'),
        text('model', 'm'),
        text('new', 'ä'),
      ],
    )
    const parts = readForm(body, TYPE)
    const [first] = parts
    assert.deepEqual(
      [first?.filename, first?.type, first?.data.toString('latin1')],
      ['a.wav', 'audio/wav', 'RIFF\0\r\n--'],
    )
    const { file: sent, ...fields } = formValue([...parts.slice(0, -1), textPart('new', 'ä')], SHAPE)
    assert.equal(sent, first)
    assert.deepEqual(fields, { words: ['one', 'two'], chunking: { type: 'vad' }, model: 'm', new: 'ä' })
  })

  for (const [what, disposition, filename] of [
    ['a path is only its last part', 'filename="../../etc/x.mp3"', 'x.mp3'],
    ['so is one of Windows', 'filename="C:\\\\music\\\\x.mp3"', 'x.mp3'],
    ['a quote is dropped', 'filename="a%22b.ogg"', 'ab.ogg'],
    ['a name without quotes', 'filename=x.flac', 'x.flac'],
    ['an extended name', "filename*=UTF-8''%e2%82%ac.webm", '€.webm'],
    ['an extended name beside a plain one is ignored', "filename=a.wav; filename*=UTF-8''b.wav", 'a.wav'],
    ['a long name keeps its extension', `filename="${'x'.repeat(400)}.m4a"`, `${'x'.repeat(251)}.m4a`],
  ] as const) {
    test(`names its file: ${what}`, () => {
      assert.equal(readForm(form(file('x', disposition)), TYPE)[0]?.filename, filename)
    })
  }

  test('of empty parts is read as well', () => {
    const [one, two] = readForm(form(text('a', ''), text('b', '')), TYPE)
    assert.deepEqual([one?.data.length, two?.name, two?.data.length], [0, 'b', 0])
  })

  for (const [type, boundary] of [
    ['multipart/form-data; boundary="a b:c"', 'a b:c'],
    ['multipart/form-data; charset=utf-8; boundary=xyz', 'xyz'],
    ['Multipart/Form-Data;boundary=x; more=1', 'x'],
    ['multipart/form-data', null],
    ['multipart/form-data; boundary=', null],
    ['multipart/form-data; boundary="a\r\nb"', null],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, null],
    ['application/json', null],
  ] as const) {
    test(`has the boundary ${boundary} by ${JSON.stringify(type).slice(0, 60)}`, () =>
      assert.equal(boundaryOf(type), boundary))
  }

  const whole = form(file('x'), text('model', 'm'))
  for (const [what, body, message] of [
    ['no end', whole.subarray(0, -8), /without its last boundary/],
    ['a cut last boundary', whole.subarray(0, -3), /last boundary/],
    ['bytes behind its end', Buffer.concat([whole, Buffer.from('x')]), /behind the end/],
    ['bytes before its beginning', Buffer.concat([Buffer.from('x'), whole]), /does not begin/],
    ['nothing', Buffer.alloc(0), /does not begin/],
    ['a boundary within a file', form(file('a\r\n--bc')), /damaged/],
    ['a head without end', Buffer.from('--b\r\ncontent-disposition: form-data'), /head of a part/],
    ['a head that is too long', form(`x: ${'y'.repeat(17_000)}\r\n\r\n`), /head of a part/],
    ['a head with a name twice', form(`x: 1\r\nx: 2\r\n${text('a', 'b')}`), /cannot be read/],
    ['a folded head', form(`content-disposition: form-data;\r\n name="a"\r\n\r\nb`), /cannot be read/],
    ['a part without a name', form('content-disposition: form-data\r\n\r\nx'), /no name/],
    ['a part with two names', form('content-disposition: form-data; name="a"; name="b"\r\n\r\nx'), /no name/],
    ['a name of 101 bytes', form(text('n'.repeat(101), 'x')), /no name/],
    ['a transfer encoding', form(`content-transfer-encoding: base64\r\n${text('a', 'b')}`), /a: send it as it is/],
    ['another charset', form(`content-type: text/plain; charset=latin1\r\n${text('a', 'b')}`), /a: send it in UTF-8/],
    [
      'ten thousand parts',
      form(...Array.from({ length: 10_000 }, (_, at) => text(`p${at}`, 'x'))),
      /more than 64 parts/,
    ],
  ] as const) {
    test(`is refused with ${what}`, () => {
      assert.throws(
        () => readForm(body, TYPE),
        (error) => error instanceof GatewayError && message.test(error.message),
      )
    })
  }

  for (const [what, body, message] of [
    ['two models', form(text('model', 'a'), text('model', 'b')), /model: is there more than once/],
    ['a model as a file', form(file('x').replace('"file"', '"model"')), /model: send it as a text/],
    ['a file as a text', form(text('file', 'x')), /file: send it as a file/],
    ['a text that is not UTF-8', form(text('prompt', '\xff')), /prompt: is not valid UTF-8/],
    ['an object with a field twice', form(text('o[a]', '1'), text('o[a]', '2')), /o: is there more than once/],
    ['a text that is an object, too', form(text('o', '1'), text('o[a]', '2')), /o: is there more than once/],
  ] as const) {
    test(`is refused with ${what}`, () => {
      assert.throws(
        () => formValue(readForm(body, TYPE), SHAPE),
        (error) => error instanceof GatewayError && message.test(error.message),
      )
    })
  }
})

describe('a form that is written', () => {
  const parts: Form = [
    { name: 'file', filename: 'ä.wav', type: 'audio/wav', data: Buffer.from([0, 13, 10, 45, 45, 255]) },
    ...[textPart('model', 'ours'), textPart('words[]', 'a'), textPart('words[]', 'b'), textPart('drop', 'x')],
  ]
  const request = formValue(parts, SHAPE)

  test('has what the translation says, and all else as it was', () => {
    const wire: JsonObject = { ...request, model: 'theirs', seconds: 3 }
    delete wire['drop']
    const written = formBytes(translatedForm(parts, wire, request), 'random')
    const again = readForm(written, formType(written))
    assert.deepEqual(again, [parts[0], textPart('model', 'theirs'), parts[2], parts[3], textPart('seconds', '3')])
  })

  test('is understood by another reader', async () => {
    const body = formBytes(parts, 'random')
    const read = await new Response(body, { headers: { 'content-type': formType(body) } }).formData()
    const sent = read.get('file') as File
    assert.deepEqual([sent.name, sent.type, read.getAll('words[]')], ['ä.wav', 'audio/wav', ['a', 'b']])
    assert.deepEqual(Buffer.from(await sent.arrayBuffer()), parts[0]?.data)
  })

  test('has the same hash whatever its boundary', () => {
    const read = (boundary: string) => readForm(formBytes(parts, boundary), `multipart/form-data; boundary=${boundary}`)
    assert.equal(formHash(read('one')), formHash(read('two')))
    assert.notEqual(formHash(parts), formHash([...parts.slice(1), parts[0] as Form[number]]))
  })
})

test('whatever the bytes are, a form is read, or refused with a 400', () => {
  const pieces = fc.constantFrom(
    '--b',
    '\r\n',
    '--',
    'content-disposition: form-data; name="a"',
    ';filename="x"',
    ':',
    '\0',
    'x',
    '"',
    '=',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (all) => {
      try {
        formValue(readForm(Buffer.from(`--b\r\n${all.join('')}`), TYPE), SHAPE)
      } catch (error) {
        assert.ok(error instanceof GatewayError && error.status === 400, String(error))
      }
    }),
    { numRuns: 2_000 },
  )
})

test('what another writer writes is read as it was meant', async () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((each) => /^[^\p{C}[\]"\\%]+$/u.test(each))
  const fields = fc.array(fc.tuple(name, fc.uint8Array({ maxLength: 60 })), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fields, async (files) => {
      const sent = new FormData()
      for (const [each, bytes] of files) sent.append(each, new Blob([bytes as Uint8Array<ArrayBuffer>]), 'f.bin')
      const request = new Response(sent)
      const read = readForm(Buffer.from(await request.arrayBuffer()), request.headers.get('content-type') ?? '')
      assert.deepEqual(
        read.map((part) => [part.name, [...part.data]]),
        files.map(([each, bytes]) => [each, [...bytes]]),
      )
    }),
    { numRuns: 200 },
  )
})
