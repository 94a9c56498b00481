import { z } from 'zod'
import { GatewayError } from '../../errors.ts'
import type { Form, FormPart } from '../../form/form.ts'
import { textPart } from '../../form/form-fields.ts'
import { problemOf } from '../../problem-text.ts'
import { worded } from '../../wording/worded.ts'
import type { PromptTokens } from '../bounds.ts'
import { isJsonObject } from '../call-request.ts'
import { type ImagesRequest, imageCount, imagesTokens, MOST_CHARACTERS } from './images.ts'

/** What vendors take. */
const MOST_FILES = 16
const MOST_FILE_BYTES = 50 * 1024 * 1024
export const MOST_EDIT_BYTES = MOST_FILES * MOST_FILE_BYTES

/** A picture of the caller, whose bytes stay in the body. */
interface Picture {
  bytes: number
}

const file = () => z.custom<FormPart>(isJsonObject, 'expected a file').meta({ type: 'string', format: 'binary' })
const word = (pattern: RegExp, expected: string) => z.string().regex(pattern, expected).optional()

/** As a form has it: every field is a text. Those that are not here pass as they are. */
export const ImageEditSchema = z.looseObject({
  image: z.array(file()).min(1).max(MOST_FILES).describe('One image, or up to 16 as `image[]`'),
  mask: file().optional().describe('Where the first image may change: transparent'),
  model: z.string().min(1),
  prompt: z.string().min(1).max(MOST_CHARACTERS),
  n: word(/^([1-9]|10)$/, 'expected a number from 1 to 10').describe('So many images; default 1'),
  size: z.string().max(20).optional().describe('Such as `1024x1024`; default `auto`'),
  quality: z.string().max(20).optional().describe('Such as `low` or `high`; default `auto`'),
  stream: word(/^(true|false)$/i, 'expected true or false'),
  partial_images: word(/^[0-3]$/, 'expected a number from 0 to 3').describe('Images on the way, of a stream'),
  user: z.string().optional(),
})
/** Checked, with its images measured. */
export interface ImageEditRequest extends ImagesRequest {
  image: Picture[]
  mask?: Picture
  markup?: Picture
}

export function isEdit(request: ImagesRequest): request is ImageEditRequest {
  return 'image' in request
}

/** What the fields of the form are. */
export const IMAGE_EDIT_FORM = { files: ['image', 'mask', 'markup'], lists: ['image'] } as const

export function readImageEdit(value: unknown, allowsStream: boolean): ImageEditRequest {
  const parsed = ImageEditSchema.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
  const { image, mask, n, partial_images: partials, ...fields } = parsed.data
  const stream = fields.stream?.toLowerCase() === 'true'
  if (stream && !allowsStream) throw new GatewayError('not_implemented')
  const { markup } = fields as { markup?: FormPart }
  return {
    ...fields,
    image: image.map((part) => pictureOf('image', part)),
    ...(mask !== undefined && { mask: pictureOf('mask', mask) }),
    ...(markup !== undefined && { markup: pictureOf('markup', markup) }),
    ...(n !== undefined && { n: Number(n) }),
    ...(fields.stream !== undefined && { stream }),
    ...(partials !== undefined && { partial_images: Number(partials) }),
  } as ImageEditRequest
}

function pictureOf(name: string, { data }: FormPart): Picture {
  if (data.length === 0) throw new GatewayError('invalid_request', worded`${name}: is empty`)
  if (data.length > MOST_FILE_BYTES)
    throw new GatewayError('request_too_large', worded`${name}: is larger than ${MOST_FILE_BYTES} bytes`)
  return { bytes: data.length }
}

/** No vendor states a bound; the most that was seen is an eighth of it. */
const MOST_TOKENS = 50_000
const LIKELY_TOKENS = 3_000

/** Every image that is made is billed with all that are sent. */
export function imageEditTokens(request: ImageEditRequest): PromptTokens {
  const { image, mask, markup } = request
  const pictures = imageCount(request) * (image.length + (mask === undefined ? 0 : 1) + (markup === undefined ? 0 : 1))
  const text = imagesTokens(request)
  const most = (text.most ?? 0) + pictures * MOST_TOKENS
  return { most, visible: most, likely: (text.likely ?? 0) + pictures * LIKELY_TOKENS, isOpaque: true }
}

const Sent = z.object({ image_url: z.string() })
const JsonForm = z.looseObject({ images: z.array(Sent).min(1), mask: Sent.nullish() })

/** The same as JSON. Its images are data: what is stored at a provider has no owner here, and addresses are not fetched. */
export function formOfJsonEdit(value: unknown): Form {
  const parsed = JsonForm.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
  const { images, mask, ...fields } = parsed.data
  const texts = Object.entries(fields)
    .filter(([, field]) => field !== null)
    .map(([name, field]) => textPart(name, typeof field === 'object' ? JSON.stringify(field) : String(field)))
  const name = images.length === 1 ? 'image' : 'image[]'
  const files = images.map(({ image_url: url }, at) => fileOf(url, `images[${at}]`, name))
  return [...texts, ...files, ...(mask == null ? [] : [fileOf(mask.image_url, 'mask', 'mask')])]
}

function fileOf(url: string, field: string, name: string): FormPart {
  const [head, extension] = /^data:image\/([a-z0-9]{1,5});base64,/i.exec(url.slice(0, 40)) ?? []
  if (head === undefined) {
    const message = worded`${field}.image_url: expected data:image/png;base64,…; addresses are not fetched`
    throw new GatewayError('invalid_request', message)
  }
  const data = Buffer.from(url.slice(head.length), 'base64')
  return { name, filename: `image.${extension}`, type: `image/${extension}`, data }
}
