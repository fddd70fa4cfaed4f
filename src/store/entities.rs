//! Entities and Slots as quads.

use super::tx::{Tx, instant, literal_text};
use super::{StoreError, pred_type};
use crate::model::{Entity, EntityId, EntityKind, Slot, SlotId, TxTime, normalise_name, property};
use crate::vocab::{SG, rdf, sg};
use oxigraph::model::{Literal, NamedNode, Term};

fn class(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Person => sg::PERSON,
        EntityKind::Project => sg::PROJECT,
        EntityKind::Organization => sg::ORGANIZATION,
        EntityKind::Tool => sg::TOOL,
        EntityKind::Place => sg::PLACE,
        EntityKind::Thing => sg::THING,
    }
}

/// Names the IRI of a fact property.
pub fn property_iri(name: &str) -> NamedNode {
    let local = property(name).map_or_else(|| name.to_owned(), crate::model::Property::local_name);
    NamedNode::new_unchecked(format!("{SG}{local}"))
}

/// Returns the contract name of a fact property's IRI.
pub fn property_name(iri: &str) -> Option<String> {
    let local = iri.strip_prefix(SG)?;
    Some(property(local).map_or_else(|| local.to_owned(), |p| p.name.to_owned()))
}

impl Tx<'_> {
    /// Writes an entity, or adds names to one that is there.
    pub fn put_entity(&mut self, entity: &Entity, recorded_at: TxTime) -> Result<(), StoreError> {
        let names = self.names;
        let meta = &names.meta;
        let node = names.entity(&entity.id);
        let is_new = !self.has(&node, rdf::PREF_LABEL, meta)?;
        if is_new {
            self.add(&node, pred_type(), NamedNode::new_unchecked(sg::ENTITY), meta);
            self.add(&node, pred_type(), NamedNode::new_unchecked(class(entity.kind)), meta);
            self.add(&node, rdf::PREF_LABEL, Literal::from(entity.label.as_str()), meta);
            self.add(&node, sg::RECORDED_AT, instant(recorded_at.0), meta);
            self.add(&node, sg::NAME_KEY, Literal::from(normalise_name(&entity.label)), meta);
        }
        for alias in &entity.aliases {
            self.add(&node, rdf::ALT_LABEL, Literal::from(alias.as_str()), meta);
            self.add(&node, sg::NAME_KEY, Literal::from(normalise_name(alias)), meta);
        }
        Ok(())
    }

    /// Finds an entity.
    pub fn entity(&self, id: &EntityId) -> Result<Option<Entity>, StoreError> {
        let node = self.node(&self.names.entity(id), &self.names.meta)?;
        if node.is_empty() {
            return Ok(None);
        }
        let classes = node.iris(crate::vocab::rdf::TYPE);
        let kind = EntityKind::ALL
            .iter()
            .map(|(kind, _)| *kind)
            .find(|kind| classes.contains(&class(*kind)))
            .unwrap_or(EntityKind::Thing);
        Ok(Some(Entity {
            id: id.clone(),
            kind,
            label: node.need_text(rdf::PREF_LABEL)?.to_owned(),
            aliases: node.texts(rdf::ALT_LABEL),
        }))
    }

    /// Returns an entity's label, or its id where it has none.
    pub fn label(&self, id: &EntityId) -> Result<String, StoreError> {
        if let Some(label) = self.labels.borrow().get(id) {
            return Ok(label.clone());
        }
        let label = self.object(&self.names.entity(id), rdf::PREF_LABEL, &self.names.meta)?;
        let Some(label) = label.as_ref().and_then(literal_text) else {
            return Ok(id.as_str().to_owned());
        };
        self.labels.borrow_mut().insert(id.clone(), label.to_owned());
        Ok(label.to_owned())
    }

    /// Returns the entities of a normalised name, in id order.
    pub fn entities_named(&self, key: &str) -> Result<Vec<EntityId>, StoreError> {
        let key = Literal::from(key);
        let subjects = self.subjects(sg::NAME_KEY, &key, &self.names.meta)?;
        let mut ids: Vec<EntityId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("entity", node.as_str()).map(EntityId))
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns all entity ids in order: one index scan.
    pub fn entity_ids(&self) -> Result<Vec<EntityId>, StoreError> {
        let class = Term::from(NamedNode::new_unchecked(sg::ENTITY));
        let subjects = self.subjects(pred_type(), class.as_ref(), &self.names.meta)?;
        let mut ids: Vec<EntityId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("entity", node.as_str()).map(EntityId))
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Writes a Slot. The system graph links entity and Slot, so that an entity's Slots are found
    /// without touching its Facts.
    pub fn put_slot(&mut self, slot: &Slot) {
        let names = self.names;
        let meta = &names.meta;
        let node = names.slot(&slot.id());
        let entity = names.entity(&slot.entity);
        self.add(&node, pred_type(), NamedNode::new_unchecked(sg::SLOT), meta);
        self.add(&node, sg::ABOUT, entity.clone(), meta);
        self.add(&node, sg::PROPERTY, property_iri(&slot.property), meta);
        self.add_some(&node, sg::QUALIFIER, slot.qualifier.as_deref().map(Literal::from), meta);
        self.add(&entity, sg::IN_SLOT, node, &names.system);
    }

    /// Finds a Slot.
    pub fn slot(&self, id: &SlotId) -> Result<Option<Slot>, StoreError> {
        let node = self.node(&self.names.slot(id), &self.names.meta)?;
        if node.is_empty() {
            return Ok(None);
        }
        let entity = node.need_iri(sg::ABOUT)?;
        let property = node.need_iri(sg::PROPERTY)?;
        Ok(Some(Slot {
            entity: EntityId(self.names.id_of("entity", entity).unwrap_or_default()),
            property: property_name(property).ok_or_else(|| node.missing(sg::PROPERTY))?,
            qualifier: node.text(sg::QUALIFIER).map(str::to_owned),
        }))
    }

    /// Returns the Slots of an entity, in id order.
    pub fn slots_of(&self, entity: &EntityId) -> Result<Vec<SlotId>, StoreError> {
        let entity = self.names.entity(entity);
        let mut ids: Vec<SlotId> = self
            .objects(&entity, sg::IN_SLOT, &self.names.system)?
            .iter()
            .filter_map(|term| match term {
                Term::NamedNode(node) => self.names.id_of("slot", node.as_str()).map(SlotId),
                _ => None,
            })
            .collect();
        ids.sort();
        Ok(ids)
    }

    /// Returns all Slot ids: one index scan.
    pub fn slot_ids(&self) -> Result<Vec<SlotId>, StoreError> {
        let class = Term::from(NamedNode::new_unchecked(sg::SLOT));
        let subjects = self.subjects(pred_type(), class.as_ref(), &self.names.meta)?;
        let mut ids: Vec<SlotId> = subjects
            .iter()
            .filter_map(|node| self.names.id_of("slot", node.as_str()).map(SlotId))
            .collect();
        ids.sort();
        Ok(ids)
    }
}
