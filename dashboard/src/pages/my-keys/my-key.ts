import type { Reply } from '../../api/client.ts'

export type MyKey = Reply<'my-keys.list'>['data'][number]
