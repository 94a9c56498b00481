import { Text } from '@mantine/core'
import { type ApiDocument, fieldsOf, type Parameter, resolved, type Schema, typeText } from './document.ts'
import { Prose } from './prose.tsx'
import classes from './reference.module.css'

type Schemas = ApiDocument['schemas']

/** Deeper fields are shown when opened. */
const OPEN_LEVELS = 1

/** The fields of a type, with those inside them folded away. */
export function FieldList({ schema, schemas, level = 0 }: { schema: Schema; schemas: Schemas; level?: number }) {
  const fields = fieldsOf(schema, schemas)
  if (fields.length === 0) {
    return level > 0 ? null : (
      <Text size="sm" className="mono">
        {typeText(schema, schemas)}
      </Text>
    )
  }
  return (
    <dl className={classes['fields']}>
      {fields.map(([name, field, isRequired]) => (
        <div key={name}>
          <dt>
            <span className="mono">{name}</span> <TypeOf schema={field} schemas={schemas} isRequired={isRequired} />
          </dt>
          <dd>
            <Description schema={resolved(field, schemas).schema} />
            <Inside schema={field} schemas={schemas} level={level + 1} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Inside({ schema, schemas, level }: { schema: Schema; schemas: Schemas; level: number }) {
  const [isOpened, count] = [level < OPEN_LEVELS, fieldsOf(schema, schemas).length]
  // A type can contain itself; what is folded is not built before it is opened, and ends here.
  if (count === 0 || level > 5) return null
  return (
    <details className={classes['more']} open={isOpened}>
      <summary>
        {count} {count === 1 ? 'field' : 'fields'}
      </summary>
      <FieldList schema={schema} schemas={schemas} level={level} />
    </details>
  )
}

function TypeOf({ schema, schemas, isRequired }: { schema: Schema; schemas: Schemas; isRequired: boolean }) {
  return (
    <>
      <span className={classes['type']}>{typeText(schema, schemas)}</span>
      {isRequired && <span className={classes['required']}> required</span>}
    </>
  )
}

function Description({ schema: { description, default: fallback } }: { schema: Schema }) {
  if (description === undefined && fallback === undefined) return null
  return (
    <Text size="sm" component="span">
      <Prose>{description ?? ''}</Prose> {fallback !== undefined && `Default: ${JSON.stringify(fallback)}.`}
    </Text>
  )
}

export function ParameterList({ parameters, schemas }: { parameters: readonly Parameter[]; schemas: Schemas }) {
  return (
    <dl className={classes['fields']}>
      {parameters.map(({ name, in: place, required = false, description, schema }) => (
        <div key={`${place} ${name}`}>
          <dt>
            <span className="mono">{name}</span> <TypeOf schema={schema} schemas={schemas} isRequired={required} />
            <span className={classes['type']}> · {place}</span>
          </dt>
          <dd>
            <Description schema={{ ...schema, ...(description !== undefined && { description }) }} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
