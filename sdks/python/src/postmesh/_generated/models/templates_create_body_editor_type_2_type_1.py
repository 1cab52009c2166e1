from typing import Literal

TemplatesCreateBodyEditorType2Type1 = Literal["advanced", "html", "simple"]

TEMPLATES_CREATE_BODY_EDITOR_TYPE_2_TYPE_1_VALUES: set[TemplatesCreateBodyEditorType2Type1] = {
    "advanced",
    "html",
    "simple",
}


def check_templates_create_body_editor_type_2_type_1(value: str) -> TemplatesCreateBodyEditorType2Type1:
    if value in TEMPLATES_CREATE_BODY_EDITOR_TYPE_2_TYPE_1_VALUES:
        return value
    raise TypeError(f"Unexpected value {value!r}. Expected one of {TEMPLATES_CREATE_BODY_EDITOR_TYPE_2_TYPE_1_VALUES!r}")
