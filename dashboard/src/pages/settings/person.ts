import type { Item } from '../../api/client.ts'

export type Person = Item<'people.list'>

export const nameOf = ({ name, email, subject }: Person) => name ?? email ?? subject
