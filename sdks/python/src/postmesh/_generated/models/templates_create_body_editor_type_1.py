from typing import Literal

TemplatesCreateBodyEditorType1 = Literal["advanced", "html", "simple"]

TEMPLATES_CREATE_BODY_EDITOR_TYPE_1_VALUES: set[TemplatesCreateBodyEditorType1] = {
    "advanced",
    "html",
    "simple",
}


def check_templates_create_body_editor_type_1(value: str) -> TemplatesCreateBodyEditorType1:
    if value in TEMPLATES_CREATE_BODY_EDITOR_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATES_CREATE_BODY_EDITOR_TYPE_1_VALUES!r}")
