import { describe, expect, it } from 'vitest'
import { fieldAt, fieldPath, namesUnder, settingFields } from '../../src/config/fields.ts'
import { settingsReference } from '../../src/config/reference.ts'

const fields = settingFields()

describe('settings reference', () => {
  it('every field has a description, and a default or is required', () => {
    expect(fields.length).toBeGreaterThan(50)
    for (const field of fields) {
      expect(field.description, fieldPath(field.path)).toMatch(/^[A-Z].{8,}[^.]$/)
      expect(field.type, fieldPath(field.path)).not.toContain('anything')
    }
    expect(fields.filter((field) => field.default === undefined)).toEqual([])
    expect(fields.filter((field) => field.default === null).map((field) => fieldPath(field.path))).toEqual([
      'profiles.<id>.price.<model>.input',
      'profiles.<id>.price.<model>.output',
      'modelRoutes[i].hint',
      'modelRoutes[i].modelProvider',
      'modelRoutes[i].model',
      'effortRouting.localHint',
      'effortRouting.cloudHint',
    ])
  })

  it('every field has its row', () => {
    const reference = settingsReference()
    for (const field of fields) expect(reference).toContain(`| \`${fieldPath(field.path)}\` |`)
  })

  it('a concrete path finds its field, or the nearest above it', () => {
    const pathAt = (path: readonly PropertyKey[]) => fieldPath(fieldAt(fields, path)?.path ?? [])
    expect(pathAt(['profiles', 'a.x', 'timeouts', 'idleMs'])).toBe('profiles.<id>.timeouts.idleMs')
    expect(pathAt(['profiles', 'a.x', 'fallbackModels', 1])).toBe('profiles.<id>.fallbackModels')
    expect(pathAt(['modelRoutes', 0, 'hint'])).toBe('modelRoutes[i].hint')
    expect(pathAt(['nowhere'])).toBe('')
  })

  it('names what may stand at a place', () => {
    expect(namesUnder(fields, [])).toContain('primary')
    expect(namesUnder(fields, ['modelRoutes', 3])).toEqual(['hint', 'modelProvider', 'model', 'apiKey'])
  })
})
