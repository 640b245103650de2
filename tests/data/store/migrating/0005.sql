insert into questions (prompt_id, version, position, question_id, text, choices, answer, element_type, element, import_id) values
    ('geneval/00000', 1, 0, 'cat', 'is there a cat?', '["yes","no"]', 'yes', 'animal', 'cat', 1);
