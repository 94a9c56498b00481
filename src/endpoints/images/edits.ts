import {
  formOfJsonEdit,
  IMAGE_EDIT_FORM,
  type ImageEditRequest,
  ImageEditSchema,
  imageEditTokens,
  MOST_EDIT_BYTES,
  readImageEdit,
} from '../../domain/request/media/image-edits.ts'
import type { Endpoint } from '../endpoint.ts'
import { images } from './images.ts'

export const imageEdits = {
  ...images,
  name: 'image_edits',
  path: '/v1/images/edits',
  form: { ...IMAGE_EDIT_FORM, limitBytes: MOST_EDIT_BYTES, ofJson: formOfJsonEdit },
  read: readImageEdit,
  promptTokens: imageEditTokens,
  page: {
    ...images.page,
    operationId: 'v1.images.edits',
    summary: 'Change images, or make one out of several',
    request: ImageEditSchema,
    requestNotes:
      'A form; fields that are not listed pass through. JSON with `images` ([{ image_url }], data URLs) is taken as well.',
    example: { model: 'painter', prompt: 'The same cat, asleep', image: 'cat.png', size: '1024x1024', quality: 'low' },
  },
} as Endpoint<ImageEditRequest>
