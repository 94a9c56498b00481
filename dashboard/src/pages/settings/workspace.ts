import type { Item } from '../../api/client.ts'

export type Workspace = Item<'workspaces.list'>
