import { z } from 'zod'
import { itemOf } from '../domain/list-of.ts'
import { AdminKey } from './contract/admin-keys.ts'
import { Alert, AlertChannel, AlertDelivery, AlertRule } from './contract/alerts.ts'
import { AuditEntry } from './contract/audit.ts'
import { Budget, Verification } from './contract/budgets.ts'
import { CatalogItem } from './contract/catalog.ts'
import { ConfigChange } from './contract/config.ts'
import { Explanation } from './contract/explain.ts'
import { Key } from './contract/keys.ts'
import { Node } from './contract/nodes.ts'
import { InviteView as Invite, PersonView as Person } from './contract/people.ts'
import { Provider, ProviderKinds, ProviderTest } from './contract/providers.ts'
import { PriceVersion, RegistryModel } from './contract/registry.ts'
import { Attempt, LoggedRequest } from './contract/requests.ts'
import { Route } from './contract/routes.ts'
import { Session } from './contract/sessions.ts'
import { GatewayStatus } from './contract/status.ts'
import { UsageSums } from './contract/usage.ts'
import { Workspace } from './contract/workspaces.ts'

type Json = Record<string, unknown>
type Io = 'input' | 'output'

/** The types that readers and generated clients know by a name. */
const NAMED: Record<string, z.ZodType> = {
  ...{ AdminKey, Alert, AlertChannel, AlertDelivery, AlertRule, Attempt, AuditEntry, Budget, CatalogItem },
  ...{ ConfigChange, Explanation, GatewayStatus, Invite, Key, LoggedRequest, Node, Person, PriceVersion, Provider },
  ...{ ProviderKinds, ProviderTest, RegistryModel, Route, Session, UsageSums, Verification, Workspace },
}

const PLACE = '#/components/schemas/'

/** The schemas of one document: a named type appears once, among the components. */
export class Components {
  readonly schemas: Record<string, Json> = {}

  constructor() {
    for (const [id, type] of Object.entries(NAMED)) z.globalRegistry.add(type, { ...z.globalRegistry.get(type), id })
  }

  /** The document names the dialect once; the schemas inside it need not. */
  schemaOf = (type: z.ZodType, io: Io): Json => {
    const { $schema: _, ...schema } = z.toJSONSchema(type, {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const item = itemOf(zodSchema)
        if (item !== undefined) Object.assign(jsonSchema, { type: 'array', items: this.schemaOf(item, io) })
      },
    }) as Json
    return this.#placed(schema, io)
  }

  /** What is asked for may have fewer required fields than what is answered: then it has its own name. */
  #placed({ $defs = {}, ...schema }: Json, io: Io): Json {
    const names = new Map(Object.keys($defs as Json).map((name) => [name, io === 'input' ? `${name}Input` : name]))
    const renamed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(renamed)
      if (value === null || typeof value !== 'object') return value
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, key === '$ref' ? ref(inner) : renamed(inner)]),
      )
    }
    const ref = (text: unknown) => {
      const name = String(text).replace('#/$defs/', '')
      return names.has(name) ? PLACE + names.get(name) : text
    }
    for (const [name, definition] of Object.entries($defs as Json)) {
      const { id: _, ...named } = renamed(definition) as Json
      this.schemas[names.get(name) ?? name] ??= named
    }
    return renamed(schema) as Json
  }
}
