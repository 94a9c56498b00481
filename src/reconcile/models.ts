/** What a report's name of a model is changed to without asking: never its date or version, which may have its own price. */
const PREFIXES = [/^arn:.*\//, /^models\//, /^(?:us|eu|apac|global)\./, /^[a-z0-9]+\./]

export interface ModelNames {
  /** The registry's id of a name or alias; null: not listed. */
  listed(name: string): string | null
  /** What an operator said that the report's name stands for. */
  mapped(name: string): string | null
}

/** The model that a raw name bills: mapped by an operator, listed, or listed without the provider's prefix; else as it is. */
export function billingModel(raw: string, { listed, mapped }: ModelNames): string {
  const known = mapped(raw) ?? listed(raw)
  if (known !== null) return known
  let name = raw
  for (const prefix of PREFIXES) {
    name = name.replace(prefix, '')
    const found = listed(name)
    if (found !== null) return found
  }
  return raw
}
